/** The legacy era's other way of asking: an error that sends the person to a web page (-32042, 2025-11-25 "URL mode"). */
import { isRecord } from '../is-record.ts';
import { RPC } from '../protocol.ts';
import { jsonBytes, parseBytes, type ByteText } from '../wire/byte-text.ts';
import type { InputRequest } from './input-required.ts';

/** The questions of such an error as the modern era has them; undefined: it is another error. */
export function readUrlRequired(error: ByteText): InputRequest[] | undefined {
  const value = parseBytes(error);
  if (!isRecord(value) || value['code'] !== RPC.urlElicitationRequired || !isRecord(value['data']))
    return undefined;
  const { elicitations } = value['data'];
  if (!Array.isArray(elicitations)) return undefined;
  const requests = elicitations.filter(isRecord).map(({ elicitationId: _, ...params }, index) => ({
    key: `elicitation_url_${index + 1}`,
    method: 'elicitation/create',
    params: jsonBytes({ mode: 'url', ...params }),
  }));
  return requests.length > 0 ? requests : undefined;
}
