"""The lint itself: names that clash where files are compiled together are found; what may be there twice passes."""

import pathlib
import subprocess
import sys

LINT = pathlib.Path(__file__).with_name("room_names_lint.py")


def lint(root, one, other, listing="plumbline_module(m SOURCES room/one.cpp {other})\n", other_folder="room"):
    room = root / "harness/m/room"
    for folder in (room, room.parent / other_folder):
        folder.mkdir(parents=True, exist_ok=True)
    (root / "harness/m/CMakeLists.txt").write_text(listing.format(other=f"{other_folder}/other.cpp"))
    for path, text in ((room / "one.cpp", one), (room.parent / other_folder / "other.cpp", other)):
        path.write_text(f"namespace p {{\nnamespace {{\n\n{text}\n\n}}  // namespace\n}}  // namespace p\n")
    return subprocess.run([sys.executable, LINT, root], capture_output=True, text=True)


def test_each_kind_of_name_that_two_files_define_is_found(tmp_path):
    for one, other in (
        ("struct Twice {\n};", "enum class Twice { one };"),
        ("constexpr double twice = 2;", "constexpr std::size_t twice = 3;"),
        ("constexpr std::array twice{1, 2};", "std::string twice(int a) {\n}"),
        ("using Twice = std::vector<int>;", "using Twice = std::map<int, double>;"),
        ("double twice(const std::vector<double>& values, int n = 2) {\n}", "double twice(const std::vector<double>& rates,\n             int most) {\n}"),
        ("Columns<A> twice() {\n}", "Columns<B> twice() {\n}"),
    ):
        ended = lint(tmp_path, one, other)
        said = "is defined more than once in what is compiled together: harness/m/room/one.cpp:4, harness/m/room/other.cpp:4\n"
        assert ended.returncode == 1 and ended.stdout.lower() == "twice " + said, (one, ended.stdout, ended.stderr)


def test_what_does_not_clash_passes(tmp_path):
    for one, other in (
        ("double own(int n) {\n}", "double own(const std::string& word) {\n}"),
        ("using Json = nlohmann::json;", "using Json = nlohmann::json;"),
        ("struct One {\n  int name;\n};", "struct Other {\n  int name;\n};"),
        ("double own(int n) {\n  const double value = n;\n}", "double other(int n) {\n  const double value = n;\n}"),
    ):
        ended = lint(tmp_path, one, other)
        assert ended.returncode == 0, (one, ended.stdout, ended.stderr)


def test_files_of_two_rooms_or_targets_and_files_that_are_compiled_by_themselves_may_share_names(tmp_path):
    twice = "struct A {\n};"
    assert lint(tmp_path / "rooms", twice, twice, other_folder="other").returncode == 0
    targets = "plumbline_test(one SOURCES room/one.cpp LINKS m)\nplumbline_test(other SOURCES {other} LINKS m)\n"
    assert lint(tmp_path / "targets", twice, twice, listing=targets).returncode == 0
    alone = "add_library(m room/one.cpp {other})\n"
    assert lint(tmp_path / "alone", twice, twice, listing=alone).returncode == 0


def test_the_files_of_every_kind_of_target_and_of_variables_are_read(tmp_path):
    for kind, listing in enumerate((
        "add_library(m STATIC\n    room/one.cpp  # first\n    {other})\nplumbline_compile_by_room(m)\n",
        "plumbline_test(m SOURCES room/one.cpp {other} LINKS m)\n",
        "if(A)\n  set(more {other})\nendif()\nplumbline_module(m UNTIMED SOURCES ${{more}} room/one.cpp)\n",
    )):
        assert lint(tmp_path / str(kind), "struct A {\n};", "struct A {\n};", listing=listing).returncode == 1, listing


def test_files_for_gpus_that_nvcc_compiles_together_are_read(tmp_path):
    def of_gpus(name, listing, text="struct A {\n};"):
        folder = tmp_path / name / "validation"
        folder.mkdir(parents=True)
        (folder / "CMakeLists.txt").write_text(listing)
        for file in ("one.cu", "other.cu"):
            (folder / file).write_text(f"namespace p {{\nnamespace {{\n\n{text}\n\n}}  // namespace\n}}  // namespace p\n")
        return subprocess.run([sys.executable, LINT, tmp_path / name], capture_output=True, text=True)

    assert "A is defined more than once" in of_gpus("together", "plumbline_cuda_sources(one.cu BY_CUBLAS other.cu)\n").stdout
    assert of_gpus("alone", "plumbline_cuda_sources(one.cu EACH_ARCHITECTURE other.cu)\n").returncode == 0
    assert of_gpus("instead", "plumbline_cuda_sources(BY_CUBLAS one.cu ELSE other.cu)\n").returncode == 0
    bounds = "__global__ void __launch_bounds__(256) twice(int n) {\n}"
    assert "twice is defined more than once" in of_gpus("bounds", "plumbline_cuda_sources(one.cu other.cu)\n", bounds).stdout
