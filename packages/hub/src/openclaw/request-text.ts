/** The frame of a request. */
interface Attached {
  /** Base64. */
  readonly content: string;
}

/**
 * Base64 is put in as it is: nothing of it is escaped in JSON, and to look for that in twenty megabytes takes longer than
 * to send them.
 */
export function requestText(id: string, method: string, params: object): string {
  const { attachments = [], ...others } = params as { readonly attachments?: readonly Attached[] };
  const text = JSON.stringify({ type: 'req', id, method, params: others });
  if (attachments.length === 0) return text;
  let list = '';
  // Added, not joined: so it is copied once, when it is sent.
  for (const { content, ...label } of attachments)
    list += `${list === '' ? '' : ','}${JSON.stringify(label).slice(0, -1)},"content":"${content}"}`;
  return `${text.slice(0, -2)},"attachments":[${list}]}}`;
}
