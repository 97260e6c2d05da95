# Conan 2: conan create packaging/conan
#
# SPDX-License-Identifier: Apache-2.0
import os

from conan import ConanFile
from conan.tools.cmake import CMake, CMakeToolchain, cmake_layout
from conan.tools.files import copy, rmdir


class KleidiAIConan(ConanFile):
    name = "libkleidiai"
    version = "1.1.0"  # of the library: docs/versioning.md
    license = "Apache-2.0"
    description = "Micro-kernels for AI inference on Arm CPUs, and a GEMM layer"
    settings = "os", "arch", "compiler", "build_type"
    options = {"shared": [True, False], "fPIC": [True, False]}
    default_options = {"shared": False, "fPIC": True}
    package_type = "library"
    # A C interface, no C++ runtime: packages serve every C++ library and standard.
    languages = "C", "C++"

    def config_options(self):
        if self.settings.os == "Windows":
            del self.options.fPIC

    def configure(self):
        if self.options.shared:
            self.options.rm_safe("fPIC")
        self.settings.rm_safe("compiler.libcxx")
        self.settings.rm_safe("compiler.cppstd")

    def export_sources(self):
        root = os.path.join(self.recipe_folder, "..", "..")
        for pattern in ("CMakeLists.txt", "LICENSE", "cmake/*", "kai/*", "tools/source_compat.py"):
            copy(self, pattern, root, self.export_sources_folder)

    def layout(self):
        cmake_layout(self)

    def generate(self):
        toolchain = CMakeToolchain(self)
        toolchain.cache_variables["KLEIDIAI_BUILD_TESTS"] = False
        toolchain.cache_variables["KLEIDIAI_BUILD_EXAMPLES"] = False
        toolchain.generate()

    def build(self):
        cmake = CMake(self)
        cmake.configure()
        cmake.build()

    def package(self):
        cmake = CMake(self)
        cmake.install()
        copy(self, "LICENSE", self.source_folder, os.path.join(self.package_folder, "licenses"))
        rmdir(self, os.path.join(self.package_folder, "lib", "cmake"))
        rmdir(self, os.path.join(self.package_folder, "lib", "pkgconfig"))
        rmdir(self, os.path.join(self.package_folder, "share"))

    def package_info(self):
        self.cpp_info.set_property("cmake_file_name", "KleidiAI")
        kernels = self.cpp_info.components["kleidiai"]
        kernels.libs = ["kleidiai"]
        kernels.set_property("cmake_target_name", "KleidiAI::kleidiai")
        kernels.set_property("pkg_config_name", "kleidiai")
        layer = self.cpp_info.components["gemm"]
        layer.libs = ["kleidiai_gemm"]
        layer.requires = ["kleidiai"]
        layer.set_property("cmake_target_name", "KleidiAI::gemm")
        layer.set_property("pkg_config_name", "kleidiai_gemm")
        attention = self.cpp_info.components["attention"]
        attention.libs = ["kleidiai_attention"]
        attention.requires = ["gemm"]
        attention.set_property("cmake_target_name", "KleidiAI::attention")
        attention.set_property("pkg_config_name", "kleidiai_attention")
