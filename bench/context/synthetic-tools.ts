/** Realistic tools of services: two subjects each, five operations per subject, worded and sized like real ones. */

/** Tools per service. */
const TOOLS_PER_SERVICE = 10;

export interface ToolDefinition {
  readonly name: string;
  readonly description: string;
  readonly inputSchema: object;
}

export interface Service {
  readonly name: string;
  readonly tools: readonly ToolDefinition[];
}

/** A service, its purpose, and its two subjects. The tasks use the first two services. */
const SERVICES: readonly (readonly [name: string, purpose: string, one: string, other: string])[] = [
  ['tracker', 'the issue tracker of a team', 'ticket', 'comment'],
  ['calendar', 'a shared calendar', 'event', 'reminder'],
  ['mail', 'a mailbox', 'message', 'draft'],
  ['chat', 'a team chat', 'post', 'channel'],
  ['drive', 'a file store in the cloud', 'document', 'folder'],
  ['wiki', 'a knowledge base', 'page', 'attachment'],
  ['code', 'a code host', 'repository', 'branch'],
  ['review', 'code review', 'pull_request', 'review'],
  ['pipeline', 'continuous integration', 'build', 'artifact'],
  ['cluster', 'a container platform', 'deployment', 'secret'],
  ['metrics', 'monitoring', 'dashboard', 'alert'],
  ['logs', 'a log archive', 'query', 'stream'],
  ['database', 'a relational database', 'table', 'snapshot'],
  ['warehouse', 'a data warehouse', 'dataset', 'job'],
  ['crm', 'customer relations', 'contact', 'deal'],
  ['billing', 'invoicing', 'invoice', 'payment'],
  ['shop', 'an online shop', 'product', 'order'],
  ['stock', 'an inventory', 'item', 'shipment'],
  ['people', 'human resources', 'employee', 'absence'],
  ['hiring', 'recruiting', 'candidate', 'interview'],
  ['survey', 'questionnaires', 'survey', 'answer'],
  ['forms', 'web forms', 'form', 'submission'],
  ['design', 'a design tool', 'frame', 'component'],
  ['photos', 'a photo library', 'album', 'picture'],
  ['video', 'a video platform', 'clip', 'caption'],
  ['music', 'a music library', 'playlist', 'track'],
  ['maps', 'a map service', 'place', 'route'],
  ['travel', 'travel bookings', 'booking', 'traveller'],
  ['weather', 'weather stations', 'station', 'forecast'],
  ['home', 'a smart home', 'device', 'scene'],
  ['health', 'fitness data', 'workout', 'measurement'],
  ['recipes', 'a cookbook', 'recipe', 'shopping_list'],
  ['notes', 'a notebook', 'note', 'tag'],
  ['tasks', 'a to-do list', 'todo', 'checklist'],
  ['feeds', 'a news reader', 'feed', 'article'],
  ['bookmarks', 'bookmarks', 'bookmark', 'collection'],
  ['contacts', 'an address book', 'person', 'group'],
  ['sms', 'text messages', 'text', 'template'],
  ['phone', 'a telephone system', 'call', 'voicemail'],
  ['legal', 'contracts', 'contract', 'clause'],
  ['tax', 'tax filings', 'filing', 'receipt'],
  ['bank', 'a bank account', 'transfer', 'statement'],
  ['trading', 'a brokerage', 'position', 'watchlist'],
  ['learning', 'online courses', 'course', 'lesson'],
  ['library', 'a public library', 'loan', 'hold'],
  ['tickets', 'event tickets', 'seat', 'reservation'],
  ['print', 'printers', 'print_job', 'printer'],
  ['dns', 'domain names', 'record', 'zone'],
  ['vault', 'passwords', 'login', 'share'],
  ['backup', 'backups', 'backup', 'restore_point'],
];

export const servicesFor = (toolCount: number): readonly Service[] =>
  SERVICES.slice(0, toolCount / TOOLS_PER_SERVICE).map(([name, purpose, one, other]) => ({
    name,
    tools: [...toolsFor(one, purpose), ...toolsFor(other, purpose)],
  }));

const text = (description: string, more: object = {}): object => ({ type: 'string', description, ...more });
const list = (description: string): object => ({ type: 'array', items: { type: 'string' }, description });

function toolsFor(subject: string, purpose: string): ToolDefinition[] {
  const words = subject.replaceAll('_', ' ');
  const id = text(`Identifier of the ${words}, as a list or a search gives it.`);
  const fields = {
    title: text(`Short title of the ${words}, shown in lists.`),
    description: text('What it is about. Markdown is allowed.'),
    status: text('State that it is to be in.', { enum: ['open', 'active', 'paused', 'closed'] }),
    priority: text('How urgent it is.', { enum: ['low', 'normal', 'high'] }),
    assignees: list('User names of those who are responsible.'),
    labels: list('Labels for filters. Unknown ones are made.'),
    due: text('When it is due or takes place, as an ISO 8601 date or time.', { format: 'date-time' }),
  };
  const object = (properties: object, required: string[]): object => ({
    type: 'object',
    properties,
    required,
    additionalProperties: false,
  });
  return [
    {
      name: `create_${subject}`,
      description: `Creates a ${words} in ${purpose}. Fails if one with the same title exists and is open. Returns the new ${words} with its identifier and its address.`,
      inputSchema: object(fields, ['title']),
    },
    {
      name: `list_${subject}s`,
      description: `Lists the ${words}s of ${purpose}, the newest first, one page at a time. Use the filters instead of reading all pages where you can.`,
      inputSchema: object(
        {
          filter: text('Words that the title or the description must have.'),
          status: fields.status,
          since: text('Only what has changed since, as an ISO 8601 time.', { format: 'date-time' }),
          limit: { type: 'integer', minimum: 1, maximum: 100, description: 'How many to return at most.' },
          cursor: text('Where the last page ended.'),
        },
        [],
      ),
    },
    {
      name: `get_${subject}`,
      description: `Returns one ${words} of ${purpose} with all of its fields and its history.`,
      inputSchema: object({ id, include: list('Further parts to return, such as history or links.') }, [
        'id',
      ]),
    },
    {
      name: `update_${subject}`,
      description: `Changes fields of a ${words} in ${purpose}. What is not given stays as it is. Returns the changed ${words}.`,
      inputSchema: object({ id, ...fields }, ['id']),
    },
    {
      name: `delete_${subject}`,
      description: `Deletes a ${words} of ${purpose} for good. Close it instead if it may be needed again.`,
      inputSchema: object({ id, reason: text('Why, for the record.') }, ['id']),
    },
  ];
}
