"""Build hooks for Hatchling: the C++ core (`sizewise/_core`), compiled into the wheel, and the readme of the package.

`pip install .` and `python -m build` run it. The compiler is Zig's Clang, which the build installs from PyPI.
`python hatch_build.py` compiles into the source tree, where an editable install finds the module.

Environment variables:
  SIZEWISE_NO_CORE=1         build a pure-Python wheel that runs on NumPy
  SIZEWISE_CC=clang          compile for this machine with another Clang, or with GCC
  SIZEWISE_TARGET=<triple>   cross-compile for one of TARGETS
  SIZEWISE_PYTHON=cp313t     compile for free-threaded Python; a Python of that version must run the build
  SIZEWISE_SANITIZE=1        add AddressSanitizer, UndefinedBehaviorSanitizer and index checks; needs SIZEWISE_CC
"""

from __future__ import annotations

import hashlib
import importlib.util
import os
import platform
import re
import shlex
import shutil
import subprocess
import sys
import sysconfig
import tempfile
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface
from hatchling.metadata.plugin.interface import MetadataHookInterface

ROOT = Path(__file__).resolve().parent
SOURCES = ROOT / "sizewise/_core"
ZIG = "ziglang==0.16.0" if sys.platform == "win32" else "ziglang==0.17.0"  # which has no wheel for Windows
N_CPUS = os.cpu_count() or 1
TARGETS = {  # target triple of Zig: platform tag of the wheel
    "x86_64-linux-gnu.2.17": "manylinux_2_17_x86_64",
    "aarch64-linux-gnu.2.17": "manylinux_2_17_aarch64",
    "x86_64-linux-musl": "musllinux_1_2_x86_64",
    "aarch64-linux-musl": "musllinux_1_2_aarch64",
    "aarch64-macos.11.0": "macosx_11_0_arm64",
    "x86_64-macos.10.13": "macosx_10_13_x86_64",
    "x86_64-windows-gnu": "win_amd64",
}
WIDE = ["-mprefer-vector-width=512"]
X86_ISAS = {  # instruction set: flags of Zig, flags of Clang and GCC
    "v2": (["-mcpu=x86_64_v2"], ["-march=x86-64-v2"]),
    "v3": (["-mcpu=x86_64_v3"], ["-march=x86-64-v3"]),
    "v4": (["-mcpu=x86_64_v4", *WIDE], ["-march=x86-64-v4", *WIDE]),
    "v4vbmi": (["-mcpu=x86_64_v4+avx512vbmi", *WIDE], ["-march=x86-64-v4", "-mavx512vbmi", *WIDE]),
}
FLAGS = shlex.split("""
  -O3 -g0 -std=c++20 -fno-exceptions -fno-rtti -fno-threadsafe-statics -fPIC -fvisibility=hidden
  -fomit-frame-pointer -ffp-contract=off -Wall -Wextra -Wconversion -Wno-psabi
""")
# Zig turns -O3 into -O2. Loops of unknown length stay rolled: 0.1 MB less and as fast, as kernels unroll by hand.
ZIG_FLAGS = ["-Xclang", "-O3", "-mllvm", "-unroll-runtime=0"]
# No exception passes through the core. On Windows every function that calls another needs its table all the same.
NO_UNWIND_TABLES = ["-fno-asynchronous-unwind-tables", "-fno-unwind-tables"]
SANITIZE = shlex.split("""
  -O1 -g1 -fno-omit-frame-pointer -fsanitize=address,undefined -fno-sanitize-recover=all -DSIZEWISE_CHECKED=1
""")
# Stands in for pyconfig.h, which describes the machine that builds, in a build for Windows on another system.
WINDOWS = shlex.split("""
  -DPy_PYCONFIG_H -DMS_WINDOWS -DMS_WIN32 -DMS_WIN64 -DNT_THREADS -DHAVE_DECLSPEC_DLL -DPy_ENABLE_SHARED
  -DSIZEOF_VOID_P=8 -DSIZEOF_SIZE_T=8 -DSIZEOF_LONG=4 -DSIZEOF_LONG_LONG=8 -DSIZEOF_WCHAR_T=2 -DALIGNOF_MAX_ALIGN_T=8
""")
WITHOUT_CORE = "SIZEWISE_NO_CORE=1 builds Sizewise without its C++ core: it then runs on NumPy, more slowly."


class BuildError(Exception):
    """Error that ends the build, with a message for the user."""


class Core:
    """Extension module for one target: its compile commands, its cache in `build/core`, its file name and wheel tag."""

    def __init__(self) -> None:
        self.target = os.environ.get("SIZEWISE_TARGET") or get_native_target()
        self.free_threaded = get_free_threaded_version()
        self.own_compiler = shlex.split(os.environ.get("SIZEWISE_CC", ""))
        self.sanitize = SANITIZE if os.environ.get("SIZEWISE_SANITIZE") else []
        if os.environ.get("SIZEWISE_TARGET") and (self.own_compiler or self.target not in TARGETS):
            raise BuildError(f"SIZEWISE_TARGET must be one of {', '.join(TARGETS)}, and SIZEWISE_CC must not be set")
        if self.sanitize and not self.own_compiler:
            raise BuildError("SIZEWISE_SANITIZE=1 needs SIZEWISE_CC=clang or gcc: Zig has no AddressSanitizer")
        self.machine, system = self.target.split("-")[:2]
        self.windows, self.macos = system.startswith("windows"), system.startswith("macos")
        variant = "-sanitized" * bool(self.sanitize) or "-own" * bool(self.own_compiler)
        self.cache = ROOT / "build/core" / (self.target + variant)

    @property
    def tag(self) -> str:
        platform_tag = None if self.own_compiler else TARGETS.get(self.target)
        if platform_tag is None:
            platform_tag = re.sub("[-.]", "_", sysconfig.get_platform()).replace("universal2", platform.machine())
        python = f"cp{self.free_threaded[:-1]}-cp{self.free_threaded}" if self.free_threaded else "cp311-abi3"
        return f"{python}-{platform_tag}"

    @property
    def file_name(self) -> str:
        if not self.free_threaded:
            return "_native.pyd" if self.windows else "_native.abi3.so"
        if self.windows:
            return f"_native.cp{self.free_threaded}-win_amd64.pyd"
        return f"_native.cpython-{self.free_threaded}-{'darwin' if self.macos else self.target.split('.')[0]}.so"

    def build(self) -> Path:
        """Return the path of the module. Compile the objects of which the sources, flags or compiler changed."""
        self.cache.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryDirectory(dir=self.cache.parent) as scratch:
            self.scratch = Path(scratch)
            compiler = self.run([*self.own_compiler, "--version"], "SIZEWISE_CC") if self.own_compiler else ZIG
            objects: dict[Path, list[str]] = {}
            for name, source, flags in self.list_objects():
                contents = [path.read_bytes() for path in [SOURCES / source, *sorted(SOURCES.glob("*.h"))]]
                objects[self.cache / f"{name}-{hash_items(compiler, flags, *contents)}.o"] = [*flags, source]
            module = self.cache / f"{self.file_name}-{hash_items(sorted(objects), Path(__file__).read_bytes())}"
            if not module.exists():
                new = {path: flags for path, flags in objects.items() if not path.exists()}
                seconds = 12 * sum("kernels" in path.name for path in new) // N_CPUS
                seconds += 1 if (ROOT / "build/zig").exists() else 10  # Zig compiles its own libraries first
                sys.stderr.write(f"Compiling the core for {self.target} (about {seconds} s)\n")
                if "Free Software Foundation" in compiler:
                    sys.stderr.write("SIZEWISE_CC is GCC: uint8 kernels are 3 to 20 times slower than with Clang\n")
                with ThreadPoolExecutor(N_CPUS) as pool:
                    list(pool.map(self.compile, new, new.values()))
                self.link(list(objects), module)
                names = {path.name.rpartition("-")[0] for path in [module, *objects]}
                for path in set(self.cache.iterdir()) - {module, *objects}:  # remove older versions
                    if path.name.rpartition("-")[0] in names:
                        path.unlink()
        return module

    def list_objects(self) -> Iterator[tuple[str, str, list[str]]]:
        """Yield name, source file and flags of every object, the slowest to compile first."""
        flags = FLAGS + ([] if self.own_compiler else ZIG_FLAGS) + self.sanitize
        flags += [] if self.windows or self.sanitize else NO_UNWIND_TABLES
        isas = X86_ISAS if self.machine == "x86_64" else {"neon" if self.machine == "aarch64" else "generic": ([], [])}
        for isa, isa_flags in isas.items():
            yield (
                f"kernels_{isa}",
                "kernels.cpp",
                [*flags, *isa_flags[bool(self.own_compiler)], f"-DSIZEWISE_ISA={isa}"],
            )
        version = re.findall('__version__ = "(.+)"', (ROOT / "sizewise/version.py").read_text())[0]
        include = Path(sysconfig.get_path("include"))
        if not (include / "Python.h").exists():
            raise BuildError(f"Python.h is missing in {include}: install python3-dev. {WITHOUT_CORE}")
        flags += [f'-DSIZEWISE_VERSION="{version}"', "-isystem", str(include)]
        flags += ["-idirafter", str(include.parent)]  # Debian's pyconfig.h includes <x86_64-linux-gnu/...>
        flags += ["-DPy_GIL_DISABLED=1"] if self.free_threaded else []
        flags += WINDOWS if self.windows and sys.platform != "win32" else []
        for source in sorted(SOURCES.glob("*.cpp")):
            if source.name != "kernels.cpp":
                yield source.stem + self.free_threaded, source.name, flags

    def compile(self, path: Path, flags: list[str]) -> None:
        """Compile one object; it appears in the cache when it is complete."""
        *flags, source = flags
        command = [*self.get_driver("c++"), *flags, f"-ffile-prefix-map={ROOT}=.", "-c", f"sizewise/_core/{source}"]
        output = self.scratch / path.name
        self.run([*command, "-o", str(output)], f"Compiling {source}")
        output.replace(path)

    def link(self, objects: list[Path], module: Path) -> None:
        """Link the module as C, without a C++ runtime. Raise BuildError if symbols are undefined that Python lacks."""
        command = [*self.get_driver("cc"), "-shared", *map(str, objects), *self.sanitize]
        command += ["-pthread"] if self.windows else ["-pthread", "-lm"]
        headers = Path(sysconfig.get_path("include")).glob("**/*.h" if self.free_threaded else "*.h")
        declarations = "".join(path.read_text(errors="replace") for path in headers)
        symbols = re.findall(r"PyAPI_(?:FUNC|DATA)\([^)]*\)\s*(\w+)", declarations)
        symbols = sorted({*symbols, *re.findall(r"\b_Py\w+_SizeT\b", declarations)})
        if self.windows:  # needs an import library of Python's symbols
            definitions, library = self.scratch / "python.def", self.scratch / "python.lib"
            definitions.write_text("\n".join(["EXPORTS", *symbols]))
            options = ["-D", f"python{self.free_threaded or 3}.dll", "-d", str(definitions), "-l", str(library)]
            self.run([sys.executable, "-m", "ziglang", "dlltool", "-m", "i386:x86-64", *options], "Importing Python")
            command += [str(library), "-s"]
        elif not self.sanitize:  # may leave any symbol undefined: link once with definitions of Python's, and no other
            stubs = self.scratch / "python.c"
            stubs.write_text("".join(f"char {symbol};\n" for symbol in symbols))
            strict = [] if self.macos else ["-Wl,-z,defs"]
            self.run([*command, "-w", str(stubs), *strict, "-o", str(self.scratch / "checked.so")], "Checking symbols")
            command += ["-s"]
            if self.macos:
                command += ["-undefined", "dynamic_lookup", f"-Wl,-install_name,@rpath/{self.file_name}"]
        output = self.scratch / self.file_name
        self.run([*command, "-o", str(output)], "Linking")
        output.replace(module)

    def get_driver(self, language: str) -> list[str]:
        target = ["-target", self.target] if self.target in TARGETS else ["-mcpu=baseline"]
        return self.own_compiler or [sys.executable, "-m", "ziglang", language, *target]

    def run(self, command: list[str], task: str) -> str:
        """Run a command in the root, print its warnings and return its output. Raise BuildError if it fails."""
        caches = {"ZIG_GLOBAL_CACHE_DIR": str(ROOT / "build/zig"), "ZIG_LOCAL_CACHE_DIR": str(self.scratch / "zig")}
        environment = {"SOURCE_DATE_EPOCH": "1580601600"} | os.environ | caches  # the default of Hatchling
        try:
            result = subprocess.run(command, cwd=ROOT, env=environment, capture_output=True, text=True)
        except OSError as error:
            raise BuildError(f"{command[0]} cannot be run: {error.strerror}. {WITHOUT_CORE}") from None
        if "No module named ziglang" in result.stderr:
            raise BuildError(f"The compiler is missing: pip install {ZIG}, or set SIZEWISE_CC. {WITHOUT_CORE}")
        if result.returncode:
            raise BuildError(f"{result.stderr}{task} for {self.target} failed. {WITHOUT_CORE}")
        sys.stderr.write(result.stderr)
        return result.stdout


def find_mingw_license() -> Path:
    """Return the license of the start-up code that Zig links into modules for Windows."""
    zig = importlib.util.find_spec("ziglang")
    if zig is None or zig.origin is None:
        raise BuildError(f"The compiler is missing: pip install {ZIG}")
    return Path(zig.origin).parent / "lib/libc/mingw/COPYING"


def get_native_target() -> str:
    """Return the target triple of this machine, with the oldest system that wheels support."""
    machine = platform.machine().lower()
    machine = {"amd64": "x86_64", "arm64": "aarch64"}.get(machine, machine)
    libc = "musl" if "musl" in (sysconfig.get_config_var("HOST_GNU_TYPE") or "") else "gnu.2.17"
    macos = "macos.11.0" if machine == "aarch64" else "macos.10.13"
    systems = {"linux": f"linux-{libc}", "darwin": macos, "win32": "windows-gnu"}
    return f"{machine}-{systems.get(sys.platform, sys.platform)}"


def get_free_threaded_version() -> str:
    """Return the free-threaded Python to compile for, e.g. "313t", or "" for the stable ABI of Python 3.11."""
    running = "{}{}t".format(*sys.version_info)
    wanted = os.environ.get("SIZEWISE_PYTHON", "").removeprefix("cp")
    if wanted not in ("", running):
        raise BuildError(f"SIZEWISE_PYTHON=cp{wanted} cannot be built by Python {platform.python_version()}")
    return wanted or (running if sysconfig.get_config_var("Py_GIL_DISABLED") else "")


def hash_items(*items: object) -> str:
    return hashlib.sha256(repr(items).encode()).hexdigest()[:16]


def build_in_place() -> None:
    """Compile the core and put it beside its sources."""
    core = Core()
    copy = shutil.copy(core.build(), core.cache / core.file_name)
    os.replace(copy, SOURCES / core.file_name)  # at once: another process may import it


class CustomBuildHook(BuildHookInterface):  # type: ignore[type-arg]
    """Adds the core to a wheel; for an editable install, puts it into the source tree."""

    def dependencies(self) -> list[str]:
        return [] if os.environ.get("SIZEWISE_CC") or os.environ.get("SIZEWISE_NO_CORE") else [ZIG]

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        if os.environ.get("SIZEWISE_NO_CORE"):
            return
        try:
            if version == "editable":
                build_in_place()
            else:
                core = Core()
                build_data["force_include"][str(core.build())] = f"sizewise/_core/{core.file_name}"
                build_data["pure_python"], build_data["tag"] = False, core.tag
                if core.windows and not core.own_compiler:
                    place = f"{self.metadata.name}-{self.metadata.version}.dist-info/licenses/COPYING.mingw-w64"
                    build_data["force_include"][str(find_mingw_license())] = place
        except BuildError as error:
            self.app.abort(str(error))


def make_links_absolute(text: str, repository: str, version: str) -> str:
    """Return Markdown whose relative links lead to the files of a release: the package index has the page alone."""
    tag = f"v{version}"
    raw = repository.replace("https://github.com/", "https://raw.githubusercontent.com/")
    text = re.sub(r"(!\[[^\]]*\]\()(?!\w+:|#)([^)\s]+\))", rf"\g<1>{raw}/{tag}/\2", text)
    return re.sub(r"((?<!!)\[[^\]]*\]\()(?!\w+:|#)([^)\s]+\))", rf"\g<1>{repository}/blob/{tag}/\2", text)


class CustomMetadataHook(MetadataHookInterface):
    """Gives the package README.md with absolute links."""

    def update(self, metadata: dict[str, Any]) -> None:
        (version,) = re.findall('__version__ = "(.+)"', (ROOT / "sizewise/version.py").read_text(encoding="utf-8"))
        text = (ROOT / "README.md").read_text(encoding="utf-8")
        text = make_links_absolute(text, metadata["urls"]["Repository"], version)
        metadata["readme"] = {"content-type": "text/markdown", "text": text}


if __name__ == "__main__":
    try:
        build_in_place()
    except BuildError as error:
        sys.exit(str(error))
