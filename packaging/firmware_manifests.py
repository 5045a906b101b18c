# SPDX-License-Identifier: MIT
"""The manifests of heed where firmware lives: one function for each file, from a library.Library."""
authors = "The heed authors"
address = "maintainers@heed.example"
paragraph = (
    "An attention runtime for microcontrollers: attention, multi-head layers, KV caches, positional encodings, and "
    "whole transformers around them. Every byte is known before flashing, and the bits are those of the desktop. "
    "With or without a floating-point unit.")

ports = ("arm_mve", "arm_m", "arm_m3", "arm_m0", "riscv_f", "riscv_i", "scalar")

cmake_head = """# SPDX-License-Identifier: MIT
#
# Written by packaging/generate.sh.
"""


def cmake_list(name, words):
    return f"set({name}\n" + "".join(f"  {word}\n" for word in words) + ")\n"


def cmake_options(lib):
    """The options as CMake has them: gcc's own only for gcc."""
    options = [f'"SHELL:{lib.bits_options}"']
    options += [f"$<$<CXX_COMPILER_ID:GNU>:{option}>" for option in lib.gcc_options]
    return cmake_list("heed_options", options + lib.archive_options + ["-std=c++20"])


def cmake_sources(lib):
    return cmake_list("heed_sources", ["${heed_root}/" + source for source in lib.sources])


def zephyr(lib):
    return cmake_head + """\
# For Zephyr, whose Kconfig says which port. The sources lie beside this folder in a package, and above it in heed's
# own tree.
if(NOT CONFIG_HEED)
  return()
endif()
get_filename_component(heed_root ${CMAKE_CURRENT_LIST_DIR}/.. ABSOLUTE)
if(NOT EXISTS ${heed_root}/runtime)
  get_filename_component(heed_root ${heed_root}/.. ABSOLUTE)
endif()
foreach(port IN ITEMS """ + " ".join(ports) + """)
  string(TOUPPER ${port} name)
  if(CONFIG_HEED_PORT_${name})
    set(heed_port ${port})
  endif()
endforeach()
if(NOT heed_port)
  message(FATAL_ERROR "heed: no port fits this board's CPU (ARCH ${CONFIG_ARCH}). There are ports for Cortex-M, ARM64 "
    "and RISC-V that multiplies; a CPU with a floating-point unit needs CONFIG_FPU=y. On x86 and native_sim, link heed "
    "as your host's own CMake builds it.")
endif()

""" + cmake_sources(lib) + cmake_options(lib) + f"""
zephyr_library_named(heed)
zephyr_library_sources(${{heed_sources}})
zephyr_include_directories(${{heed_root}}/include)
set(heed_port_inherits)
include(${{heed_root}}/ports/${{heed_port}}/port.cmake)
list(TRANSFORM heed_port_inherits PREPEND ${{heed_root}}/ports/)
zephyr_library_include_directories(
  ${{heed_root}}/ports/${{heed_port}} ${{heed_port_inherits}} ${{heed_root}}/ports ${{heed_root}}/runtime)
zephyr_library_compile_options(${{heed_options}})
zephyr_library_compile_definitions({" ".join(lib.definitions)})
"""


def esp_idf(lib):
    return cmake_head + """\
# A component of ESP-IDF. The sources lie beside this file in a package; in heed's own tree, whose CMakeLists.txt
# includes this file, they lie above it.
set(heed_root ${CMAKE_CURRENT_LIST_DIR})
if(NOT EXISTS ${heed_root}/runtime)
  get_filename_component(heed_root ${CMAKE_CURRENT_LIST_DIR}/../.. ABSOLUTE)
endif()
# A first reading of all components knows no configuration; a component without a port must not end it.
set(heed_port riscv_i)
if(CONFIG_SOC_CPU_HAS_FPU)
  set(heed_port riscv_f)
endif()
set(heed_port_inherits)
include(${heed_root}/ports/${heed_port}/port.cmake)
list(TRANSFORM heed_port_inherits PREPEND ${heed_root}/ports/)

""" + cmake_sources(lib) + cmake_options(lib) + f"""
idf_component_register(SRCS ${{heed_sources}} INCLUDE_DIRS ${{heed_root}}/include
  PRIV_INCLUDE_DIRS ${{heed_root}}/ports/${{heed_port}} ${{heed_port_inherits}} ${{heed_root}}/ports
    ${{heed_root}}/runtime)
if(NOT CONFIG_IDF_TARGET_ARCH_RISCV)
  message(FATAL_ERROR "heed: ${{IDF_TARGET}} is no RISC-V (ESP32-C3, C6, P4), which this component needs")
endif()
target_compile_options(${{COMPONENT_LIB}} PRIVATE ${{heed_options}})
target_compile_definitions(${{COMPONENT_LIB}} PRIVATE {" ".join(lib.definitions)})
"""


def esp_idf_manifest(lib):
    return f"""# SPDX-License-Identifier: MIT
#
# Written by packaging/generate.sh.
version: "{lib.version}"
description: "{lib.description}"
url: "{lib.homepage}"
license: "MIT"
targets:
  - esp32c3
  - esp32c6
  - esp32p4
dependencies:
  idf: ">=5.1"
"""


def platformio(lib):
    flags = lib.options("gcc") + ["-std=c++20"]
    flags += ["-D" + definition for definition in lib.definitions]
    flags += ["-Iports", "-Iruntime"]
    return {
        "name": "heed",
        "version": lib.version,
        "description": lib.description + ". For Cortex-M and 32-bit RISC-V",
        "keywords": ["attention", "transformer", "kv-cache", "inference"],
        "license": "MIT",
        "authors": [{"name": authors, "maintainer": True}],
        "homepage": lib.homepage,
        "frameworks": "*",
        "platforms": "*",
        "headers": ["heed/heed.h", "heed/heed.hpp"],
        "build": {
            "includeDir": "include",
            "srcDir": "runtime",
            "srcFilter": ["-<*>"] + [f"+<{source.removeprefix('runtime/')}>" for source in lib.sources],
            "extraScript": "packaging/platformio/choose_port.py",
            "flags": flags,
            "unflags": ["-std=gnu++11", "-std=gnu++14", "-std=gnu++17", "-ffast-math", "-flto"],
        },
    }


def arduino(lib):
    return f"""name=heed
version={lib.version}
author={authors}
maintainer={authors} <{address}>
sentence={lib.description}.
paragraph={paragraph}
category=Data Processing
url={lib.homepage}
architectures=*
includes=heed.h
precompiled=full
ldflags=-lheed
"""


def cmsis_pack(lib, releases):
    import xml.sax.saxutils

    history = ""
    for version, date, points in releases:
        text = "".join(f"      - {xml.sax.saxutils.escape(point)}\n" for point in points)
        history += f'    <release version="{version}" date="{date}">\n{text}    </release>\n'
    sources = "".join(f'        <file category="source" name="{source}"/>\n' for source in lib.sources)
    # A pack has no order among its folders, so that assemble.sh has put what a port inherits into the port's own.
    folders = "".join(f'        <file category="include" name="ports/{port}/" scope="private" condition="{port}"/>\n'
                      for port in ports if port.startswith("arm_"))
    return f"""<?xml version="1.0" encoding="UTF-8"?>
<!-- SPDX-License-Identifier: MIT. Written by packaging/generate.sh. -->
<package schemaVersion="1.7.36" xmlns:xs="http://www.w3.org/2001/XMLSchema-instance"
         xs:noNamespaceSchemaLocation="PACK.xsd">
  <vendor>heed</vendor>
  <name>heed</name>
  <description>{lib.description}</description>
  <url>{lib.homepage}/</url>
  <license>LICENSE</license>
  <releases>
{history}  </releases>
  <conditions>
    <condition id="Cortex-M">
      <description>A Cortex-M, or a core that is like one</description>
      <accept Dcore="Cortex-M*"/>
      <accept Dcore="SC?00"/>
      <accept Dcore="ARMV8*M*"/>
      <accept Dcore="Star-MC*"/>
    </condition>
    <condition id="baseline">
      <description>ARMv6-M, or the baseline of ARMv8-M</description>
      <accept Dcore="Cortex-M0"/>
      <accept Dcore="Cortex-M0+"/>
      <accept Dcore="Cortex-M1"/>
      <accept Dcore="Cortex-M23"/>
      <accept Dcore="SC000"/>
      <accept Dcore="ARMV8MBL"/>
    </condition>
    <condition id="FPU">
      <description>A floating-point unit</description>
      <accept Dfpu="FPU"/>
      <accept Dfpu="SP_FPU"/>
      <accept Dfpu="DP_FPU"/>
    </condition>
    <condition id="arm_mve">
      <description>Helium for floats</description>
      <require Dmve="FP_MVE"/>
    </condition>
    <condition id="arm_m">
      <description>A floating-point unit, and no Helium for floats</description>
      <require condition="FPU"/>
      <deny Dmve="FP_MVE"/>
    </condition>
    <condition id="arm_m3">
      <description>ARMv7-M, or the mainline of ARMv8-M, without a floating-point unit</description>
      <deny condition="FPU"/>
      <deny condition="baseline"/>
    </condition>
    <condition id="arm_m0">
      <description>ARMv6-M, or the baseline of ARMv8-M, which have no floating-point unit</description>
      <require condition="baseline"/>
    </condition>
  </conditions>
  <components>
    <component Cclass="Machine Learning" Cgroup="heed" Cversion="{lib.version}" condition="Cortex-M">
      <description>{lib.description}</description>
      <files>
        <file category="include" name="include/"/>
        <file category="header" name="include/heed/heed.h"/>
        <file category="header" name="include/heed/heed.hpp"/>
{folders}        <file category="include" name="ports/" scope="private"/>
        <file category="include" name="runtime/" scope="private"/>
{sources}      </files>
    </component>
  </components>
  <csolution>
    <clayer type="heed" path="layer" file="heed.clayer.yml" copy-to="heed" condition="Cortex-M">
      {lib.description}
    </clayer>
  </csolution>
</package>
"""


def cmsis_layer(lib):
    defines = "".join(f"        - {definition.replace('=', ': ')}\n" for definition in lib.definitions)
    misc = ""
    for compiler, kind in (("GCC", "gcc"), ("CLANG", "clang"), ("AC6", "clang")):
        # The layer's schema allows an option once, and the last one counts.
        options = list(dict.fromkeys(reversed(lib.options(kind) + ["-std=c++20"])))[::-1]
        flags = "".join(f"            - {option}\n" for option in options)
        misc += f"        - for-compiler: {compiler}\n          CPP:\n{flags}"
    return f"""# SPDX-License-Identifier: MIT
#
# Written by packaging/generate.sh. A pack cannot say how its sources are compiled; this layer of a csolution does.
# `language-CPP` holds for the whole of a project that has the layer, whose own must be the same.
layer:
  type: heed
  description: {lib.description}
  language-CPP: c++20
  packs:
    - pack: heed::heed@{lib.version}
  components:
    - component: heed::Machine Learning:heed
      define:
{defines}      misc:
{misc}"""
