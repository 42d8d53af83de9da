/** Reads a stream of server-sent events. */
export interface ServerEvent {
  type: string;
  data: string;
}

function parseEvent(block: string): ServerEvent {
  const event: ServerEvent = { type: 'message', data: '' };
  const data: string[] = [];
  for (const line of block.split('\n')) {
    if (line.startsWith('event:')) event.type = line.slice(6).trim();
    else if (line.startsWith('data:')) data.push(line.slice(5).trimStart());
  }
  event.data = data.join('\n');
  return event;
}

/** Takes chunks of the stream, cut anywhere, and emits whole events. */
export function createEventReader(onEvent: (event: ServerEvent) => void): (piece: string) => void {
  let rest = '';
  return (piece) => {
    const blocks = (rest + piece).replaceAll('\r\n', '\n').split('\n\n');
    rest = blocks.pop() ?? '';
    for (const block of blocks) onEvent(parseEvent(block));
  };
}

export function readEvents(body: string): ServerEvent[] {
  const events: ServerEvent[] = [];
  createEventReader((event) => events.push(event))(body);
  return events;
}
