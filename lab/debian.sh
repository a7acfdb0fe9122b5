# Sourced by lab/jdk and lab/arm64.

# The mirror that this machine's packages come from; nothing where that is not Debian's.
mirror() {
  apt-get indextargets --format '$(ORIGIN) $(REPO_URI)' 'Created-By: Packages' 'Component: main' 2>/dev/null |
    sed -n '/-security/d; s/^Debian //p' | head -1
}
