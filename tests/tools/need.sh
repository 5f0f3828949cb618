# For test scripts: `. need.sh`, then `need blender ...`. A test whose tool is absent is skipped loudly (exit code 77),
# or fails when NACRE_REQUIRE_ALL=1.
need() {
    local tool
    for tool in "$@"; do
        if ! command -v "$tool" >/dev/null 2>&1 && [ ! -e "$tool" ]; then
            if [ "${NACRE_REQUIRE_ALL:-0}" = 1 ]; then
                echo "FAIL: $tool is absent and NACRE_REQUIRE_ALL=1 (scripts/bootstrap --full installs it)"
                exit 1
            fi
            echo "SKIPPED because $tool is absent (scripts/bootstrap --full installs it)"
            exit 77
        fi
    done
}
