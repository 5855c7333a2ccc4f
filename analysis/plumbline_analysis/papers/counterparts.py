"""Each figure of the papers that this project follows, and what draws its counterpart from a campaign's cases."""
from dataclasses import dataclass, field

# Authors and year, and what a paper is about.
PAPERS = {"000": ("Yang, Kurth, Williams 2019", "hierarchical roofline of GPUs"), "001": ("Williams, slides", "the Roofline model"),
          "002": ("Wang et al. 2020", "time-based roofline"), "003": ("Yang, Wang et al. 2020", "hierarchical roofline of deep learning"),
          "004": ("Kwack et al. 2018", "counters and rooflines of CPUs")}
FORWARD, BACKWARD = {"direction": "forward"}, {"direction": ("backward", "backward_data", "backward_weights")}
BOTH_WAYS = (("forward", FORWARD), ("backward", BACKWARD))


@dataclass(frozen=True)
class Counterpart:
    """A figure of a paper, and the cases that its counterpart takes."""

    paper: str
    figure: str
    title: str
    how: str                   # a key of drawing.WAYS
    kernel: str = ""
    parameter: str = ""
    panels: tuple = (("", {}),)  # title, and the parameters that its cases have: a value, or several of which each will do
    on_gpu: bool = True        # the paper's is of a GPU
    ignored: tuple = field(default=())  # parameters that may change along
    campaign: str = "papers.toml, or of a GPU gpu_applications.toml,"

    @property
    def name(self):
        return f"paper{self.paper}-figure{self.figure}"


def _of_000():
    yield "1", "Hierarchical ceilings of a GPU", "ceilings", {"campaign": "gpu_ceilings.toml"}
    yield "2", "GPP over nw", "sweep", {"kernel": "proxies/gpp", "parameter": "nw"}
    yield "3", "GPP under the roof of its FMA mix", "mix", {"kernel": "proxies/gpp"}
    yield "4", "GPP over stride", "sweep", {"kernel": "proxies/gpp", "parameter": "stride"}
    for number, variant in (("5", "fp"), ("6", "branch"), ("7", "stride2")):
        yield number, f"GSRB over box size: {variant}", "sweep", {"kernel": "proxies/gsrb", "parameter": "n", "panels": (("", {"variant": variant}),)}
    for number, parameter, words in (("8", "images", "batch size"), ("9", "filters", "output filters"), ("10", "kernel", "kernel size")):
        yield number, f"conv2d over {words}", "sweep", {"kernel": "proxies/conv2d", "parameter": parameter, "panels": BOTH_WAYS}


def _of_002():
    conv = {"kernel": "proxies/conv2d"}
    yield "1", "Run time of conv2d by implementation", "times", {**conv, "panels": BOTH_WAYS}
    yield "2", "Time-based roofline: its four planes", "planes", {}
    yield "3", "conv2d in the planes over batch size", "planes", {**conv, "parameter": "images"}
    yield "4", "conv2d forward in the planes over filters", "planes", {**conv, "parameter": "filters", "panels": (("", FORWARD),)}
    yield "5", "conv2d backward in the planes over filters", "planes", {**conv, "parameter": "filters", "panels": (("", BACKWARD),)}
    yield "6", "conv2d over filters, classic", "sweep", {**conv, "parameter": "filters", "panels": BOTH_WAYS}
    yield "7", "conv2d in the planes over stride", "planes", {**conv, "parameter": "stride"}
    yield "8", "conv2d over stride, classic", "sweep", {**conv, "parameter": "stride"}
    yield "9", "LSTM backward in the planes over batch size", "planes", {"kernel": "proxies/lstm", "parameter": "batch", "panels": (("", BACKWARD),)}
    yield "10", "LSTM in the planes over sequence length", "planes", {"kernel": "proxies/lstm", "parameter": "sequence"}


def _of_003():
    yield "1", "Ceilings of a GPU with half precision and tensor cores", "ceilings", {"campaign": "gpu_ceilings.toml"}
    yield "2", "Products of matrices over size (there: by tensor cores)", "sweep", {"kernel": "validation/dgemm", "parameter": "n"}
    for number, words in (("3", "TensorFlow, forward"), ("4", "TensorFlow, backward"), ("5", "PyTorch, forward"), ("6", "PyTorch, backward"), ("7", "PyTorch, optimizer")):
        yield number, f"Kernels of a deep-learning program by time ({words})", "program", {"campaign": "none: plumbline profile --gpu PROGRAM"}


def _of_004():
    cpu = {"on_gpu": False}
    yield "1", "Rooflines of a node by ERT", "ceilings", {**cpu, "campaign": "ert_table1.toml"}
    yield "2-8", "Counter validation by series and stencils", "kwack2018", {**cpu, "campaign": "bash jobs/kwack2018.sh"}
    sweeps = (("10", "5-point stencil over size", "validation/stencil5", "18"), ("11", "7-point stencil over size", "validation/stencil7", "19"),
              ("12", "HPCG's solver over size", "proxies/cg", "20"), ("13", "HPGMG's multigrid over size", "proxies/multigrid", "21"),
              ("14", "tfqmr with additive Schwarz over size", "proxies/tfqmr", "22"), ("15", "Direct solver over size: MUMPS", "proxies/sparse_lu", "23"),
              ("16", "Direct solver over size: SuperLU", "proxies/sparse_lu", "24"))
    flavors = {"15": {"flavor": "lib-mumps"}, "16": {"flavor": "lib-superlu"}}
    for number, words, kernel, by_accesses in sweeps:
        facts = {**cpu, "kernel": kernel, "parameter": "n", "ignored": ("planes", "lines", "levels"), "panels": (("", flavors.get(number, {})),), "campaign": "papers.toml"}
        yield number, words, "sweep", facts
        yield by_accesses, f"{words}, by L1 accesses", "by_accesses", facts
    yield "17", "A program under the roofs (there: SETSM)", "program", {**cpu, "campaign": "none: plumbline profile PROGRAM"}


def all_of_them():
    """Every figure, paper by paper, in the papers' order."""
    made = [Counterpart("001", "ladder", "GPP's ladder of optimizations", "steps", "proxies/gpp", "variant")]
    for paper, of_paper in (("000", _of_000), ("002", _of_002), ("003", _of_003), ("004", _of_004)):
        made += [Counterpart(paper, number, title, how, **facts) for number, title, how, facts in of_paper()]
    return sorted(made, key=lambda one: (one.paper, int(one.figure.split("-")[0]) if one.figure[0].isdigit() else 0))
