"""A source that nothing builds is told with the file and the line to add; what is listed, in whatever way, is not."""

import sources_lint


def tree(root, files):
    for name, text in files.items():
        (root / name).parent.mkdir(parents=True, exist_ok=True)
        (root / name).write_text(text)
    for folder in sources_lint.FOLDERS:
        (root / folder).mkdir(exist_ok=True)
    return list(sources_lint.complaints(root))


def test_a_kernel_without_its_line_is_told_with_the_line(tmp_path):
    told = tree(
        tmp_path,
        {
            "validation/CMakeLists.txt": "plumbline_kernel_library(validation)\n# plumbline_add_kernel(validation axpy Axpy)\n",
            "validation/axpy_loop.hpp": "",
            "validation/axpy.cpp": '#include "validation/axpy_loop.hpp"\n',
        },
    )
    assert told == [
        "validation/axpy.cpp: nothing builds it: add to validation/CMakeLists.txt: "
        "plumbline_add_kernel(validation axpy Axpy), the last word being the loop's arguments"
    ]


def test_a_kernel_for_gpus_and_a_source_of_a_room_are_told_too(tmp_path):
    told = tree(
        tmp_path,
        {
            "validation/CMakeLists.txt": "plumbline_cuda_sources(\n    dot.cu)\n",
            "validation/dot.cu": "",
            "validation/norm.cu": "",
            "harness/app/CMakeLists.txt": "add_library(app nights/check.cpp\n    here/paths.cpp)\n",
            "harness/app/nights/check.cpp": "",
            "harness/app/nights/paths.cpp": "",
            "harness/app/here/paths.cpp": "",
        },
    )
    assert told == [
        "harness/app/nights/paths.cpp: nothing builds it: add to harness/app/CMakeLists.txt: 'nights/paths.cpp' in the list of its target's sources",
        "validation/norm.cu: nothing builds it: add to validation/CMakeLists.txt: 'norm.cu' in the list of plumbline_cuda_sources()",
    ]


def test_kernels_with_their_line_are_well_and_a_header_that_nobody_includes_is_told(tmp_path):
    told = tree(
        tmp_path,
        {
            "proxies/CMakeLists.txt": "plumbline_add_kernel(proxies gpp Gpp)\n",
            "proxies/gpp.hpp": "",
            "proxies/gpp.cpp": '#include "proxies/gpp.hpp"\n',
            "proxies/left.hpp": "",
        },
    )
    assert told == ["proxies/left.hpp: no file includes it"]


def test_a_test_in_python_that_nothing_runs_is_told(tmp_path):
    told = tree(
        tmp_path,
        {
            "tests/CMakeLists.txt": "add_test(NAME a COMMAND python3 ${here}/structure/name_lint.py)\n",
            "tests/structure/name_lint.py": "",
            "tests/structure/CMakeLists.txt": "plumbline_pytest(name_test name_test.py)  # plumbline_pytest(other_test other_test.py)\n",
            "tests/structure/name_test.py": "",
            "tests/structure/other_test.py": "",
            "tests/structure/lint.py": "",
            "tests/faults/CMakeLists.txt": "foreach(file clock hung)\n  plumbline_pytest(${file} ${file}_test.py)\nendforeach()\n",
            "tests/faults/clock_test.py": "",
        },
    )
    assert told == ["tests/structure/other_test.py: nothing runs it: add it to tests/structure/CMakeLists.txt"]
