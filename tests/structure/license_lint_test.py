"""The lint itself: a tree that keeps the licenses apart passes, and each kind of breach is found."""

import pathlib
import subprocess
import sys

import pytest

LINT = pathlib.Path(__file__).with_name("license_lint.py")
GPL, BSD = "// SPDX-License-Identifier: GPL-2.0-or-later\n", "// SPDX-License-Identifier: BSD-3-Clause\n"
CLEAN = {
    "CMakeLists.txt": "",
    "harness/emulator/LICENSE": "GNU GENERAL PUBLIC LICENSE\n",
    "harness/emulator/decode.h": GPL,
    "harness/emulator/client_requests.h": BSD,
    "harness/emulator/main.c": GPL + '#include "decode.h"\n#include "pub_tool_basics.h"\n',
    "harness/emulator/CMakeLists.txt": "# SPDX-License-Identifier: BSD-3-Clause\ntarget_link_libraries(plumbline_emulator PRIVATE ${COREGRIND})\n",
    "harness/marker/plumbline.h": BSD,
    "harness/counters/emulated/emulated.cpp": '#include "emulator/client_requests.h"\n',
    "tests/emulator/decode_test.c": GPL + '#include "decode.h"\n',
}


def lint(tmp_path, *programs, **changed):
    for path, text in {**CLEAN, **changed}.items():
        (tmp_path / path).parent.mkdir(parents=True, exist_ok=True)
        (tmp_path / path).write_text(text)
    return subprocess.run([sys.executable, LINT, tmp_path, *programs], capture_output=True, text=True)


def test_a_clean_tree_passes(tmp_path):
    ended = lint(tmp_path)
    assert ended.returncode == 0, ended.stdout


@pytest.mark.parametrize(
    "path, text, words",
    [
        ("harness/emulator/LICENSE", "do what you like\n", "is not the text"),
        ("harness/emulator/decode.h", BSD, "wanted the line 'SPDX-License-Identifier: GPL-2.0-or-later', found BSD-3-Clause"),
        ("harness/emulator/new.c", "\n", "found none"),
        ("harness/emulator/client_requests.h", GPL, "wanted the line 'SPDX-License-Identifier: BSD-3-Clause'"),
        ("harness/marker/plumbline.h", GPL, "wanted the line 'SPDX-License-Identifier: BSD-3-Clause'"),
        ("harness/counters/emulated/emulated.cpp", '#include "emulator/decode.h"\n', "includes emulator/decode.h"),
        ("tests/emulator/decode_test.c", BSD + '#include "decode.h"\n', "includes decode.h"),
        ("harness/app/a.cpp", '#include "pub_tool_basics.h"\n', "includes pub_tool_basics.h"),
        ("harness/app/CMakeLists.txt", "target_link_libraries(plumbline\n  PRIVATE fmt ${PLUMBLINE_VALGRIND_COREGRIND})\n", "plumbline links"),
    ],
)
def test_a_breach_is_found(tmp_path, path, text, words):
    ended = lint(tmp_path, **{path: text})
    assert ended.returncode == 1
    assert words in ended.stdout and path in ended.stdout


def test_a_program_with_valgrinds_core_inside_is_found(tmp_path):
    source = tmp_path / "core.c"
    source.write_text("int vgPlain_printf(void) { return 0; }\nint main(void) { return vgPlain_printf(); }\n")
    subprocess.run(["gcc", source, "-o", tmp_path / "program"], check=True)
    ended = lint(tmp_path, tmp_path / "program")
    assert ended.returncode == 1
    assert "vgPlain_printf" in ended.stdout
