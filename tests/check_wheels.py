"""Check of the wheels that `make wheels` builds, of every platform, on any platform.

python tests/check_wheels.py dist/*.whl         check size, tags, files, and what the module imports; print a table
python tests/check_wheels.py --load dist/*.whl  load the module of this platform's wheel in every Python >= 3.11 found
"""

from __future__ import annotations

import argparse
import importlib
import os
import platform
import re
import shutil
import struct
import subprocess
import sys
import tempfile
import zipfile
from dataclasses import dataclass, field
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
MAX_WHEEL_BYTES = 3_000_000
MAX_GLIBC = (2, 17)
NOT_IN_WHEELS = {".cpp", ".h", ".so", ".pyd"}  # but for the one module
MACHINES = {"x86_64": "x86_64", "amd64": "x86_64", "aarch64": "aarch64", "arm64": "aarch64"}
LIBRARIES = {  # that a module may load, by the first word of the platform tag
    "manylinux": r"lib(c|m)\.so\.6|libpthread\.so\.0|ld-linux-(x86-64|aarch64)\.so\.[12]",
    "musllinux": r"libc\.so",
    "macosx": r"/usr/lib/libSystem\.B\.dylib",
    "win": r"KERNEL32\.dll|python(3|3\d+t)\.dll|api-ms-win-crt-\w+-l1-1-0\.dll",
}
C_SYMBOLS = set(
    """
    bcmp calloc free malloc memcmp memcpy memmove memset memset_pattern16 bzero posix_memalign realloc strcmp strlen
    clock_gettime nanosleep sched_yield sched_getaffinity sched_getcpu sched_setaffinity __sched_cpucount sigdelset
    sigfillset strncmp sysconf
    dyld_stub_binder __bzero __cxa_finalize
    """.split()  # noqa: SIM905
)


@dataclass
class Module:
    """Dynamic-linking data of an extension module."""

    machine: str
    libraries: set[str] = field(default_factory=set)
    imports: set[str] = field(default_factory=set)
    exports: set[str] = field(default_factory=set)
    glibc: tuple[int, ...] = ()
    system: str = ""  # oldest system it runs on


def read_string(data: bytes, offset: int) -> str:
    return data[offset : data.index(0, offset)].decode()


def read_elf(data: bytes) -> Module:
    """Read a 64-bit little-endian ELF file."""
    module = Module({62: "x86_64", 183: "aarch64"}[struct.unpack_from("<H", data, 18)[0]])
    (table,), (size, n) = struct.unpack_from("<Q", data, 40), struct.unpack_from("<2H", data, 58)
    sections = [struct.unpack_from("<2I4Q2I2Q", data, table + i * size) for i in range(n)]
    for _, kind, _, _, offset, size, link, info, _, _ in sections:
        strings = sections[link][4] if link < n else 0
        if kind == 11:  # SHT_DYNSYM
            for at in range(offset + 24, offset + size, 24):
                name, _, _, section = struct.unpack_from("<I2BH", data, at)
                (module.exports if section else module.imports).add(read_string(data, strings + name))
        elif kind == 6:  # SHT_DYNAMIC
            for at in range(offset, offset + size, 16):
                tag, value = struct.unpack_from("<2Q", data, at)
                if tag == 1:  # DT_NEEDED
                    module.libraries.add(read_string(data, strings + value))
        elif kind == 0x6FFFFFFE:  # SHT_GNU_verneed
            for _ in range(info):
                _, count, _, at, following = struct.unpack_from("<2H3I", data, offset)
                at += offset
                for _ in range(count):
                    _, _, _, name, step = struct.unpack_from("<I2H2I", data, at)
                    version = read_string(data, strings + name)
                    module.glibc = max(module.glibc, tuple(map(int, re.findall(r"\d+", version))))
                    at += step
                offset += following
    module.system = "glibc " + ".".join(map(str, module.glibc)) if module.glibc else "musl"
    return module


def read_macho(data: bytes) -> Module:
    """Read a 64-bit Mach-O file."""
    cpu, n = struct.unpack_from("<4xI8xI", data)
    module = Module({0x1000007: "x86_64", 0x100000C: "aarch64"}[cpu])
    at, signed = 32, False
    for _ in range(n):
        command, size = struct.unpack_from("<2I", data, at)
        if command & 0xFF == 0xC:  # LC_LOAD_DYLIB
            module.libraries.add(read_string(data, at + struct.unpack_from("<I", data, at + 8)[0]))
        elif command in (0x32, 0x24):  # LC_BUILD_VERSION, LC_VERSION_MIN_MACOSX
            (version,) = struct.unpack_from("<I", data, at + (12 if command == 0x32 else 8))
            module.system = f"macOS {version >> 16}.{version >> 8 & 255}"
        elif command == 0x1D:  # LC_CODE_SIGNATURE
            signed = True
        elif command == 2:  # LC_SYMTAB
            symbols, count, strings = struct.unpack_from("<3I", data, at + 8)
            for entry in range(symbols, symbols + 16 * count, 16):
                name, kind = struct.unpack_from("<IB", data, entry)
                if kind & 1 and not kind & 0x10:  # external, not private
                    symbol = read_string(data, strings + name).removeprefix("_")
                    (module.exports if kind & 0xE else module.imports).add(symbol)
        at += size
    if module.machine == "aarch64" and not signed:
        module.system += ", UNSIGNED"
    return module


def read_pe(data: bytes) -> Module:
    """Read a 64-bit Windows DLL."""
    (header,) = struct.unpack_from("<I", data, 60)
    machine, n_sections = struct.unpack_from("<2H", data, header + 4)
    module = Module({0x8664: "x86_64", 0xAA64: "aarch64"}[machine], system="Windows")
    sections = [struct.unpack_from("<4I", data, header + 264 + 40 * i + 8) for i in range(n_sections)]

    def at(address: int) -> int:
        return next(raw + address - start for size, start, _, raw in sections if start <= address < start + size)

    exports, _, imports = struct.unpack_from("<3I", data, header + 136)
    count, _, names = struct.unpack_from("<3I", data, at(exports) + 24)
    module.exports = {read_string(data, at(name)) for name in struct.unpack_from(f"<{count}I", data, at(names))}
    offset = at(imports)
    while any(descriptor := struct.unpack_from("<5I", data, offset)):
        thunks, _, _, library, _ = descriptor
        module.libraries.add(read_string(data, at(library)))
        thunk = at(thunks)
        while name := struct.unpack_from("<Q", data, thunk)[0]:
            if read_string(data, at(library)).startswith("python"):
                module.imports.add(read_string(data, at(name) + 2))
            thunk += 8
        offset += 20
    return module


def read_module(data: bytes) -> Module:
    if data.startswith(b"\x7fELF"):
        return read_elf(data)
    return read_pe(data) if data.startswith(b"MZ") else read_macho(data)


def read_stable_abi() -> set[str] | None:
    """Return the symbols of the stable ABI of Python 3.11, or None if this Python is not 3.11 or lacks the list."""
    try:
        names = importlib.import_module("test.test_stable_abi_ctypes").SYMBOL_NAMES
    except ImportError:
        return None
    return set(names) if sys.version_info[:2] == (3, 11) else None


def find_faults(path: Path, stable_abi: set[str] | None) -> tuple[list[str], Module | None, int]:
    """Return the faults of a wheel, its module and the size of that."""
    faults = []
    _, _, python, abi, tag = path.stem.split("-")
    wheel = zipfile.ZipFile(path)
    names = {name for name in wheel.namelist() if not name.endswith("/")}
    modules = sorted(name for name in names if name.endswith((".so", ".pyd")))
    files = [file for file in (ROOT / "sizewise").rglob("*") if file.is_file() and "__pycache__" not in file.parts]
    sources = {file.relative_to(ROOT).as_posix() for file in files if file.suffix not in NOT_IN_WHEELS}
    extra = {name for name in names - sources - set(modules) if ".dist-info/" not in name}
    faults += [f"contains {name}" for name in sorted(extra)] + [f"lacks {name}" for name in sorted(sources - names)]
    if path.stat().st_size > MAX_WHEEL_BYTES:
        faults.append(f"has {path.stat().st_size} bytes, more than {MAX_WHEEL_BYTES}")
    metadata = wheel.read(next(name for name in names if name.endswith(".dist-info/WHEEL"))).decode()
    pure = f"Root-Is-Purelib: {str(tag == 'any').lower()}\n"
    if f"Tag: {python}-{abi}-{tag}\n" not in metadata or pure not in metadata:
        faults.append("WHEEL disagrees with the file name")
    if tag == "any":
        return faults + [f"contains {name}" for name in modules], None, 0
    if tag.startswith("win") and not any(name.endswith("/COPYING.mingw-w64") for name in names):
        faults.append("lacks the license of the start-up code that it contains")
    suffix = {"abi3": r"(\.abi3\.so|\.pyd)"}.get(abi, rf"\.(cpython-{abi[2:]}-[\w-]+\.so|{abi}-win_amd64\.pyd)")
    if len(modules) != 1 or not re.fullmatch(rf"sizewise/_core/_native{suffix}", modules[0]):
        return [*faults, f"has the modules {modules}"], None, 0
    data = wheel.read(modules[0])
    module = read_module(data)
    if not re.search(rf"_({'|'.join(k for k, v in MACHINES.items() if v == module.machine)})$", tag):
        faults.append(f"module is for {module.machine}")
    if module.glibc > MAX_GLIBC:
        faults.append(f"needs {module.system}")
    linker_symbols = {"_mh_dylib_header", "__dso_handle"}  # of every library for macOS
    faults += [f"exports {name}" for name in sorted(module.exports - linker_symbols - {"PyInit__native"})]
    if "PyInit__native" not in module.exports:
        faults.append("does not export PyInit__native")
    allowed = LIBRARIES[re.match("[a-z]+", tag)[0]]  # type: ignore[index]
    faults += [f"loads {library}" for library in sorted(module.libraries) if not re.fullmatch(allowed, library)]
    for name in sorted(module.imports):
        if re.match("_?Py", name):
            if abi == "abi3" and stable_abi is not None and name not in stable_abi:
                faults.append(f"{name} is not part of the stable ABI of 3.11")
        elif name not in C_SYMBOLS and not name.startswith("pthread_"):
            faults.append(f"imports {name}")
    if (found := re.match(r"macosx_(\d+)_(\d+)", tag)) and module.system != "macOS {}.{}".format(*found.groups()):
        faults.append(f"module is for {module.system}")
    return faults, module, len(data)


def check(wheels: list[Path]) -> int:
    """Print a table of wheels and their faults. Return how many have any."""
    stable_abi = read_stable_abi()
    if stable_abi is None:
        print("The symbols of the stable ABI are not checked: run this with Python 3.11 and its `test` package.")
    print(f"{'wheel':<36}{'KB':>6}{'module KB':>11}  {'oldest system':<15}{'Py symbols':>10}  libraries")
    n_faulty = 0
    for path in wheels:
        faults, module, size = find_faults(path, stable_abi)
        tag = "-".join(path.stem.split("-")[2:]).replace("cp311-abi3-", "")
        row = f"{tag:<36}{path.stat().st_size // 1000:>6}{size // 1000:>11}"
        if module:
            n_python = sum(bool(re.match("_?Py", name)) for name in module.imports)
            row += f"  {module.system:<15}{n_python:>10}  {' '.join(sorted(module.libraries))}"
        print(row + "".join(f"\n  FAULT: {fault}" for fault in faults))
        n_faulty += bool(faults)
    return n_faulty


LOAD = """
import importlib.machinery, importlib.util, platform, sys
loader = importlib.machinery.ExtensionFileLoader("sizewise._core._native", sys.argv[1])
module = importlib.util.module_from_spec(importlib.util.spec_from_loader(loader.name, loader))
loader.exec_module(module)
print(platform.python_version(), "loaded:", *(name for name in dir(module) if not name.startswith("_")))
"""


def find_pythons() -> list[str]:
    """Return the interpreters of Python 3.11 and newer on PATH and in pyenv, one for each version."""
    folders = [*os.environ.get("PATH", "").split(os.pathsep), *sorted(Path.home().glob(".pyenv/versions/*/bin"))]
    found: dict[str, str] = {}
    for folder in folders:
        for name in [f"python3.{minor}{t}" for minor in range(11, 30) for t in ("", "t")]:
            if python := shutil.which(name, path=str(folder)):
                process = subprocess.run([python, "-VV"], capture_output=True, text=True)
                if process.returncode == 0:  # pyenv's shims of other versions fail
                    found.setdefault(process.stdout, python)
    return list(found.values())


def load(wheels: list[Path]) -> int:
    """Load the module of the wheel for this platform in every Python found. Return how many fail."""
    libc = "musl" if "musl" in platform.libc_ver()[0] else "many"
    systems = {"linux": f"{libc}linux_2_17_{platform.machine()}", "darwin": f"macosx_11_0_{platform.machine()}"}
    wanted = f"cp311-abi3-{systems.get(sys.platform, 'win_amd64')}"
    (wheel,) = [path for path in wheels if path.stem.endswith(wanted)]
    n_failed = 0
    with tempfile.TemporaryDirectory() as folder:
        name = next(name for name in zipfile.ZipFile(wheel).namelist() if name.endswith((".so", ".pyd")))
        module = zipfile.ZipFile(wheel).extract(name, folder)
        for python in find_pythons():
            process = subprocess.run([python, "-I", "-c", LOAD, module], text=True)
            n_failed += process.returncode != 0
    return n_failed


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--load", action="store_true")
    parser.add_argument("wheels", nargs="+", type=Path)
    arguments = parser.parse_args()
    sys.exit((load if arguments.load else check)(arguments.wheels) > 0)
