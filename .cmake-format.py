# For cmake-lint; cmake-format itself is not used: it cannot be taught our continuation lines.
with section("format"):
    line_width = 120
    tab_size = 4

with section("lint"):
    # Names of variables and comments of functions have no form here; long functions are judged by people. E1126 is
    # mistaken about file(CONFIGURE) and file(GET_RUNTIME_DEPENDENCIES), C0301 is .editorconfig's.
    disabled_codes = ["C0103", "C0111", "C0113", "C0301", "E1126", "R0912", "R0915", "W0105"]
