/** PowerShell takes its code in base64, too: UTF-16, behind any beginning of `-EncodedCommand`. */
import { programName } from './program-name.ts';

const FLAG = /^[-/–—―]e(?:c|n(?:c(?:o(?:d(?:e(?:d(?:c(?:o(?:m(?:m(?:a(?:n(?:d)?)?)?)?)?)?)?)?)?)?)?)?)?$/i;

export type EncodedCommand =
  | { readonly payload: string }
  /** The text of the refusal. */
  | { readonly problem: string };

/** Undefined: there is none. */
export function encodedCommand(argv: readonly string[]): EncodedCommand | undefined {
  if (!/^(?:powershell|pwsh)/.test(programName(argv[0] ?? ''))) return undefined;
  const at = argv.findIndex((word, index) => index > 0 && FLAG.test(word));
  if (at < 0) return undefined;
  const encoded = argv[at + 1] ?? '';
  const isBase64 = encoded !== '' && encoded.length % 4 === 0 && /^[A-Za-z0-9+/]+={0,2}$/.test(encoded);
  const bytes = Buffer.from(encoded, 'base64');
  if (!isBase64 || bytes.length % 2 !== 0) return { problem: 'EncodedCommand could not be decoded' };
  const payload = bytes.toString('utf16le').trim();
  return payload === '' ? { problem: 'EncodedCommand decoded to an empty payload' } : { payload };
}
