# Functions of the scripts named build, which compile libraries and programs into $out. A file that
# is newer than its sources and its script is left alone. What is compiled is moved to its place, so
# that a JVM that has the old library mapped keeps it.

common=(-std=gnu11 -Wall -Wextra -O2)

stale() { # FILE SOURCE...
  local file=$1 source
  shift
  for source in "$@" "$0"; do
    [ "$file" -nt "$source" ] || return 0
  done
  return 1
}

library() { # NAME SOURCES... -- FLAGS...
  local file="$out/lib$1.so" sources=()
  shift
  while [ "$1" != -- ]; do
    sources+=("$here/$1")
    shift
  done
  shift
  if stale "$file" "${sources[@]}"; then
    gcc "${common[@]}" -g1 -fPIC -shared -pthread -fno-optimize-sibling-calls \
      -I"$java_home/include" -I"$java_home/include/linux" \
      -I"$(dirname "${BASH_SOURCE[0]}")/../../../../sample-apps/src/main/c" \
      "$@" -o "$file.new" "${sources[@]}" -lrt
    mv "$file.new" "$file"
  fi
}

program() { # NAME FLAGS...
  local file="$out/$1" source="$here/$1.c"
  shift
  if stale "$file" "$source"; then
    gcc "${common[@]}" "$@" -o "$file.new" "$source"
    mv "$file.new" "$file"
  fi
}
