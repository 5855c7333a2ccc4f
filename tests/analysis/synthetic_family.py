"""Documents about a GPU that never was, like an H200, and what `plumbline show` says of cases of every region on it."""

PEAK, BANDWIDTHS = 63e12, {"L1": 30e12, "L2": 9.5e12, "mem": 4.2e12}  # FLOP/s in FP32, bytes/s
LAUNCH_SECONDS = 2.6e-6


def region(flops, bytes_, overhead, level="mem"):
    """The region of the complexity plane, as harness/model/placement/time_roofline.hpp has it."""
    at_peak, at_bandwidth = flops / PEAK, bytes_ / BANDWIDTHS[level]
    if max(at_peak, at_bandwidth) < overhead:
        return "overhead"
    return "bandwidth" if at_bandwidth > at_peak else "compute"


def case(kernel, parameters, flops, bytes_, efficiency, launches=1, flavor="cuda13-sm_90a"):
    """A case of a GPU. `bytes_`: at L1, L2 and mem. `efficiency`: the part of its roof that it reaches where launches do not bind."""
    overhead = launches * LAUNCH_SECONDS
    amounts = dict(zip(BANDWIDTHS, bytes_))
    at_roofs = max(flops / PEAK, *(amount / BANDWIDTHS[level] for level, amount in amounts.items()))
    seconds = max(at_roofs / efficiency, 1.02 * overhead)
    words = "/".join(f"{name}={value}" for name, value in parameters.items())
    levels = {level: {"bytes": amount, "bytes_lo": amount, "bytes_hi": amount, "ai": flops / amount if flops else None,
                      "ai_lo": flops / amount if flops else None, "ai_hi": flops / amount if flops else None, "source": "hardware"}
              for level, amount in amounts.items()}
    bound = max([("compute", flops / PEAK)] + [(level, amount / BANDWIDTHS[level]) for level, amount in amounts.items()], key=lambda one: one[1])
    row = {"case": f"{kernel}/fp32/{words}/g1/{flavor}", "kernel": kernel, "label": f"{kernel.split('/')[-1]} {words.replace('/', ' ')}",
           "precision": "fp32", "flavor": flavor, "ranks": 1, "threads": 1, "gpus": 1, "gpu": "GPU", "node": "g1", "seconds": seconds,
           "gflops": flops / seconds / 1e9, "flops": flops, "levels": levels, "bound": bound[0],
           "percent_of_roof": 100 * bound[1] / seconds, "roof_gflops": flops / bound[1] / 1e9, "compute_roof_gflops": PEAK / 1e9,
           "join": "same", "bytes_source": "hardware", "status": "ok", "reason": None}
    if flops:
        row["time_roofline"] = {"launches": launches, "overhead_seconds": overhead, "levels": {
            level: _times(flops, amount, level, seconds, overhead) for level, amount in amounts.items()}}
    return row


def _times(flops, amount, level, seconds, overhead):
    at_peak, at_bandwidth = flops / PEAK, amount / BANDWIDTHS[level]
    longest = max(at_peak, at_bandwidth)
    return {"bandwidth_gbs": BANDWIDTHS[level] / 1e9, "balance": PEAK / BANDWIDTHS[level], "compute_seconds": seconds * at_peak / longest,
            "bandwidth_seconds": seconds * at_bandwidth / longest, "complexity_region": region(flops, amount, overhead, level),
            "time_region": "overhead" if seconds < overhead else "bandwidth" if at_bandwidth > at_peak else "compute"}


def cases():
    """A convolution bound by arithmetic, a smoother bound by bytes, a recurrent network bound by its launches, and kernels without FLOPs."""
    rows = [case("proxies/conv2d", {"direction": "forward", "images": images, "filters": 64}, 3.568e9 * images / 16, (2.4e8 * images / 16, 8e7 * images / 16, 3e7 * images / 16), 0.6,
                 launches=2) for images in (16, 32, 64, 128)]
    rows += [case("proxies/gsrb", {"variant": "branch", "n": n}, 113 * 8 * n**3, (900 * 8 * n**3, 120 * 8 * n**3, 60 * 8 * n**3), 0.8) for n in (64, 128, 256)]
    rows += [case("proxies/lstm", {"direction": "backward", "batch": batch, "sequence": sequence}, 2 * batch * sequence * 64 * 48, (4e4 * sequence, 2.5e4 * sequence, 2e4 * sequence), 0.3,
                  launches=2 * sequence + 4) for batch, sequence in ((16, 16), (16, 32), (16, 64), (16, 128))]
    return rows + [case("proxies/lstm", {"batch": 16, "sequence": 16, "part": part}, 0, (2e5, 2e5, 2e5), 0.5) for part in ("pad", "transpose")]


def ceilings():
    """The GPU's ceilings, as `plumbline ceilings` has them."""
    def row(name, level, value, precision="-", pattern="load", unit="GB/s"):
        return {"name": name, "precision": precision, "level": level, "pattern": pattern, "ranks": 1, "threads": 1, "node": "g1", "value": value,
                "unit": unit, "min": 0.98 * value, "median": 0.995 * value, "max": value, "n": 5, "cv": 0.006, "status": "ok", "reason": None,
                "scope": "GPU", "size_bytes": None}

    rows = [row(f"GPU {level} load", level, rate / 1e9) for level, rate in BANDWIDTHS.items()]
    rows += [row("GPU L2 copy", "L2", 8.9e3, pattern="copy"), row("GPU mem triad", "mem", 4.1e3, pattern="triad")]
    peaks = (("fp32", "FP32 FMA", 63e3), ("fp32", "FP32 no FMA", 31.4e3), ("fp64", "FP64 FMA", 32.1e3), ("fp64", "FP64 no FMA", 16e3),
             ("fp16", "FP16x2 FMA", 124e3), ("tensor.bf16", "BF16 tensor wgmma", 790e3), ("tensor.bf16", "BF16 tensor mma.sync", 640e3))
    rows += [row(f"GPU {name}", "compute", value, precision, name.split(" ", 1)[1].lower(), "GFLOP/s") for precision, name, value in peaks]
    rows += [row(f"GPU {way} launch", "overhead", seconds, pattern=way, unit="seconds") for way, seconds in (("stream", 2.6e-6), ("graph", 1.4e-6))]
    return {"schema": "plumbline-ceilings/1", "file": "gpu.h5", "rows": rows, "notes": []}
