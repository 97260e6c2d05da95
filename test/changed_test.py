#!/usr/bin/env python3
"""What ./kai.sh test --changed chooses (tools/changed_tests.py), in this build.

    changed_test.py DIR

A mistake in a source must be among what is chosen for that source: for each mutation of test/mutants/sources.txt, the
tests that notice it are. And unknown, deleted and central files affect everything, others no more than they can.

SPDX-License-Identifier: Apache-2.0
"""
import fnmatch
import pathlib
import re
import subprocess
import sys
import unittest

ROOT = pathlib.Path(__file__).resolve().parents[1]
sys.path[:0] = [str(ROOT / "tools"), str(ROOT / "test/mutants")]
import changed_tests  # noqa: E402  (after the path)
import mutate  # noqa: E402

FOLDER = pathlib.Path(sys.argv.pop())
READS = changed_tests.Reads(changed_tests.READS.read_text())
BUILD = changed_tests.Build(FOLDER.resolve(), [])
CROSS = "kleidiai_test.svl512" in BUILD.tests


def choice_of(*files, reads=READS):
    return changed_tests.Choice([BUILD], files, reads)


def tests_of_sources():
    """Names of the tests: (those of each micro-kernel or packer, without its name; others)."""
    text = "".join(path.read_text() for path in sorted((ROOT / "test").rglob("*.cpp")))
    places = {}
    for place, suite in re.findall(r"INSTANTIATE_TEST_SUITE_P\(\s*(\w+), (\w+),", text):
        places.setdefault(suite, []).append(place)
    of_subjects, others = [], [f"{suite}.{test}" for suite, test in re.findall(r"TEST(?:_F)?\((\w+), (\w+)\)", text)]
    for suite, test in re.findall(r"TEST_P\((\w+), (\w+)\)", text):
        for place in places.get(suite, []):
            (of_subjects if place in ("Kernels", "Packers") else others).append(f"{place}/{suite}.{test}/")
    return of_subjects, others


OF_SUBJECTS, OTHERS = tests_of_sources()


def has_a_test(filter_, subjects):
    """Whether a filter of GoogleTest selects a test of one of these subjects, or a test without one."""
    for pattern in filter_.split("-")[0].split(":"):
        parameter = pattern.rpartition("/")[2].replace("*", "x")  # of other tests that have some
        match = re.compile(fnmatch.translate(pattern)).match
        if any(match(test + parameter if test.endswith("/") else test) for test in OTHERS) or any(
                match(test + name) for name in subjects for test in OF_SUBJECTS):
            return True
    return False


class Mutations(unittest.TestCase):
    def test_each_is_noticed_by_what_is_chosen_for_its_file(self):
        tried = 0
        known = set().union(*(BUILD.sources(str(FOLDER.resolve() / output)) for output in (
            "libkleidiai.a", "libkleidiai_gemm.a", "libkleidiai_attention.a", "examples/llm/llm",
            "examples/convnet/convnet", "tools/kai-pack", "tools/kai-gguf")))
        choices = {}
        for mutation in mutate.read_mutations(mutate.MUTATIONS):
            if mutation.only and not any(re.search(mutation.only, source) for source in known):
                continue  # of sources of another architecture
            if mutation.file not in known:
                self.assertFalse(CROSS and not mutation.tests.startswith(("tools.", "example.convnet.")), mutation.file)
                continue  # code of another architecture, of a tool of the host, or of what needs a package
            choice = choices.setdefault(mutation.file, choice_of(mutation.file))
            tests = [mutation.tests] if mutation.tests.startswith("tools.") else [
                mutation.program() + ("." + cpu if CROSS else "") for cpu in mutation.cpus]
            for test in tests:
                if test not in BUILD.tests:
                    self.assertTrue(test.startswith("tools.") or not CROSS or "." in test, test)
                    continue
                tried += 1
                self.assertTrue(choice.selects(BUILD, test), f"{mutation.name}: {test}")
                if mutation.program() == "kleidiai_test" and choice.subjects is not None:
                    self.assertTrue(has_a_test(mutation.tests, choice.subjects),
                                    f"{mutation.name}: {mutation.tests} of {choice.subjects}")
        self.assertGreater(tried, 700 if CROSS else 300)

    def test_some_are_chosen_for_few_subjects(self):
        narrow = [choice_of(file).subjects for file in sorted(
            file for file in BUILD.library_sources(BUILD.sources(str(FOLDER.resolve() / "libkleidiai.a"))))]
        self.assertGreater(sum(found is not None and len(found) < 40 for found in narrow), 10)


class Files(unittest.TestCase):
    def test_the_wrong_index_is_noticed(self):
        # The first test sees it if a source loses its users.
        users = changed_tests.subjects_of
        try:
            changed_tests.subjects_of = lambda sources: set()
            with self.assertRaises(AssertionError):
                Mutations("test_each_is_noticed_by_what_is_chosen_for_its_file").debug()
        finally:
            changed_tests.subjects_of = users

    def test_all(self):
        for file, why in (("kai.sh", "about every test"), ("test/CMakeLists.txt", "about every test"),
                          ("kai/engines/none.S", "is gone")):
            self.assertIn(why, choice_of(file).all)
            self.assertIn(why, choice_of("docs/faq.md", file).all)

    def test_what_no_line_and_no_program_has(self):
        for file in ("LICENSE", "test/data/gguf/rows.csv"):
            self.assertIn("nothing says", choice_of(file, reads=changed_tests.Reads("")).all)

    def test_documents_affect_no_program(self):
        chosen = choice_of("docs/faq.md")
        self.assertEqual(chosen.all, "")
        self.assertFalse([test for test in chosen.tests[BUILD] if re.match(r"kleidiai_(test|gemm|mutants)", test)])
        self.assertIn("kleidiai_sentences", chosen.tests[BUILD])  # a script without a line

    def test_documents_need_no_library(self):
        """And what is compiled for a page is built if that page changes."""
        def of(*files):
            return changed_tests.document_lines([BUILD], files, READS)

        self.assertEqual(of("docs/faq.md", "CHANGELOG.md")[0], f"build {BUILD.name}")
        if CROSS:
            self.assertIn("which_kernel", of("docs/which-kernel.md")[0])
            self.assertEqual(of("docs/migration.md")[0], f"build {BUILD.name} all")
        else:
            self.assertIn("|docs\\.links|", of("docs/faq.md")[1])
            self.assertIn("tools/kernel_table", of("docs/kernels.md")[0])
            self.assertIn("tools/kai-gguf", of("docs/gguf.md")[0])
            self.assertEqual(of("README.md")[0], f"build {BUILD.name} all")
            self.assertIn("kleidiai_readme", of("README.md")[1])
        self.assertIn("is gone", of("none.md")[0])
        again = changed_tests.document_lines([BUILD, BUILD], ["docs/migration.md", "docs/which-kernel.md"], READS)
        self.assertEqual(again[2:], [f"build {BUILD.name}", f"tests {BUILD.name} ^()$"])

    def test_the_layer_does_not_affect_kernels(self):
        chosen = choice_of("kai/gemm/plan.cpp")
        programs = {test.split(".")[0] for test in chosen.tests[BUILD]}
        self.assertIn("kleidiai_gemm_test", programs)
        self.assertNotIn("kleidiai_test", programs)

    def test_sources_of_tests_affect_all_subjects(self):
        for file in ("test/pack_test.cpp", "test/matmul/fixture.hpp", "kai/kai_common.h", "kai/kai_registry.cpp"):
            chosen = choice_of(file)
            self.assertEqual((chosen.all, chosen.subjects), ("", None), file)
            self.assertTrue(any(test.startswith("kleidiai_test") for test in chosen.tests[BUILD]), file)
        both = choice_of("test/pack_test.cpp", "kai/engines/pack/pack_qsu2.cpp")
        self.assertIsNone(both.subjects)

    def test_users_of_a_source(self):
        chosen = choice_of("kai/engines/pack/pack_qsu2.cpp")
        self.assertTrue(chosen.subjects)
        self.assertTrue(all("qsu2" in name for name in chosen.subjects), chosen.subjects)
        test = "kleidiai_test.svl512" if CROSS else "kleidiai_test"
        self.assertTrue(chosen.selects(BUILD, test, sorted(chosen.subjects)[0]))
        self.assertFalse(chosen.selects(BUILD, test, "lhs_pack_f32p2vlx1_f32_sme"))

    def test_assembly_for_sme_runs_where_it_is(self):
        sme = "kai/engines/panels/panels_sme2.S"
        chosen = set(choice_of(sme).tests[BUILD])
        more = set(choice_of(sme, "kai/engines/qai8/qai8_neon_i8mm.S").tests[BUILD])
        left = {"kleidiai_gemm_test.neoverse-n1", "kleidiai_test.cortex-a53", "tiny_lm.cortex-a72"}
        if CROSS:
            self.assertIn("kleidiai_gemm_test.svl512", chosen)
            self.assertFalse(chosen & left)
            self.assertTrue(more > left)

    def test_every_file_is_known(self):
        """Somewhere: what only other builds have is known by its folder."""
        listed = subprocess.run(["git", "-C", str(ROOT), "ls-files"], stdout=subprocess.PIPE, text=True).stdout.split()
        known = set().union(*(BUILD.depends(test, READS)[0] for test in BUILD.tests))
        patterns = READS.all + READS.documents + READS.tree + sum((found for _, found in READS.tests), [])
        unknown = [file for file in listed if (ROOT / file).is_file() and file not in known
                   and not changed_tests.matches(file, patterns)]
        if CROSS:  # it has all sources of the library
            self.assertEqual([file for file in unknown if file.startswith("kai/")], [])
        self.assertLess(len(unknown), 25, unknown)

    def test_patterns_of_the_file_are_files(self):
        listed = subprocess.run(["git", "-C", str(ROOT), "ls-files"], stdout=subprocess.PIPE, text=True).stdout.split()
        if not listed:
            self.skipTest("not a clone")
        for pattern in READS.all + READS.documents + READS.tree + sum((found for _, found in READS.tests), []):
            self.assertTrue(any(fnmatch.fnmatchcase(file, pattern) for file in listed), pattern)


if __name__ == "__main__":
    unittest.main()
