# A server over stdio that runs commands from HOST PORT, one per line. One process, quick to start.
#   bash remote-controlled.sh HOST PORT
#   line       reads a line of stdin and passes it on
#   skip N     reads N bytes of stdin, then closes it
#   write N    writes the N bytes that follow to stdout
# It exits when that connection ends.
LC_ALL=C
exec 3<>"/dev/tcp/$1/$2" || exit
while IFS=' ' read -r -u 3 command count; do
  case $command in
    line) IFS= read -r text || exit; printf '%s\n' "$text" >&3 ;;
    skip) IFS= read -r -N "$count" text; exec <&- ;;
    write) IFS= read -r -N "$count" -u 3 text; printf '%s' "$text" ;;
  esac
done
