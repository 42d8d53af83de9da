/** The addresses that a process listens on. */
import { readdirSync, readFileSync, readlinkSync } from 'node:fs';

const LISTENING = '0A';

/** In the kernel's format: `0100007F:1F40` is 127.0.0.1:8000. */
export function listeningAddresses(pid: number): string[] {
  const inodes = new Set(
    readdirSync(`/proc/${pid}/fd`).flatMap((name) => {
      try {
        return /^socket:\[(\d+)\]$/.exec(readlinkSync(`/proc/${pid}/fd/${name}`))?.[1] ?? [];
      } catch {
        return [];
      }
    }),
  );
  return ['tcp', 'tcp6'].flatMap((family) =>
    readFileSync(`/proc/${pid}/net/${family}`, 'utf8')
      .split('\n')
      .slice(1)
      .map((line) => line.trim().split(/\s+/))
      .filter((fields) => fields[3] === LISTENING && inodes.has(fields[9]!))
      .map((fields) => fields[1]!),
  );
}

/** TCP ports, IPv4 and IPv6. */
export const listeningPorts = (pid: number): number[] =>
  listeningAddresses(pid).map((address) => Number.parseInt(address.split(':')[1]!, 16));
