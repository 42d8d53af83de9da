/** The tasks and their steps: with all tools listed, and by searching. */
import { join } from 'node:path';

export interface Call {
  readonly tool: string;
  readonly args: object;
}

/** A search precedes the calls that need its result. */
export type Step = { readonly find: string } | Call;

export interface Task {
  readonly prompt: string;
  readonly steps: readonly Step[];
}

export const SYNTHETIC_TASKS: readonly Task[] = [
  {
    prompt: 'File a ticket: the printer on the second floor is on fire. It is urgent.',
    steps: [
      { find: 'create a ticket' },
      { tool: 'tracker__create_ticket', args: { title: 'Printer on fire', priority: 'high' } },
    ],
  },
  {
    prompt: 'What is in my calendar this week?',
    steps: [
      { find: 'list calendar events' },
      { tool: 'calendar__list_events', args: { since: '2026-11-16T00:00:00Z', limit: 20 } },
    ],
  },
  {
    prompt: 'Close ticket 4711 and leave a comment that the printer has been replaced.',
    steps: [
      { find: 'update a ticket' },
      { tool: 'tracker__update_ticket', args: { id: '4711', status: 'closed' } },
      { find: 'comment on a ticket' },
      {
        tool: 'tracker__create_comment',
        args: { title: 'Replaced', description: 'The printer was replaced.' },
      },
    ],
  },
  {
    prompt: 'Move the review meeting to Friday at ten and remind me of it the day before.',
    steps: [
      { find: 'calendar events' },
      { tool: 'calendar__list_events', args: { filter: 'review' } },
      { tool: 'calendar__update_event', args: { id: '12', due: '2026-11-20T10:00:00Z' } },
      { find: 'create a reminder' },
      { tool: 'calendar__create_reminder', args: { title: 'Review', due: '2026-11-19T10:00:00Z' } },
    ],
  },
  {
    prompt: 'Is ticket 4711 still about printers? If not, delete comment 12 of it.',
    steps: [
      { find: 'read a ticket, delete a comment' },
      { tool: 'tracker__get_ticket', args: { id: '4711' } },
      { tool: 'tracker__delete_comment', args: { id: '12', reason: 'off topic' } },
    ],
  },
];

/** For third-party servers, on a folder with `notes.txt`. */
export const realTasks = (folder: string): readonly Task[] => [
  {
    prompt: 'What does notes.txt say?',
    steps: [
      { find: 'read a text file' },
      { tool: 'filesystem__read_text_file', args: { path: join(folder, 'notes.txt') } },
    ],
  },
  {
    prompt: 'Add 1741 and 2026.',
    steps: [{ find: 'add two numbers' }, { tool: 'everything__get-sum', args: { a: 1741, b: 2026 } }],
  },
  {
    prompt: 'Remember that Ada works at Initech.',
    steps: [
      { find: 'knowledge graph: create entities and relations' },
      {
        tool: 'memory__create_entities',
        args: {
          entities: [
            { name: 'Ada', entityType: 'person', observations: ['works at Initech'] },
            { name: 'Initech', entityType: 'company', observations: [] },
          ],
        },
      },
      {
        tool: 'memory__create_relations',
        args: { relations: [{ from: 'Ada', to: 'Initech', relationType: 'works at' }] },
      },
    ],
  },
  {
    prompt: 'Which files are there? Put the first line of notes.txt into a new file summary.txt.',
    steps: [
      { find: 'list a directory' },
      { tool: 'filesystem__list_directory', args: { path: folder } },
      { find: 'read and write files' },
      { tool: 'filesystem__read_text_file', args: { path: join(folder, 'notes.txt'), head: 1 } },
      {
        tool: 'filesystem__write_file',
        args: { path: join(folder, 'summary.txt'), content: 'The printer has been replaced.\n' },
      },
    ],
  },
  {
    prompt: 'Find all text files and tell me how large notes.txt is.',
    steps: [
      { find: 'search for files' },
      { tool: 'filesystem__search_files', args: { path: folder, pattern: '**/*.txt' } },
      { find: 'size and metadata of a file' },
      { tool: 'filesystem__get_file_info', args: { path: join(folder, 'notes.txt') } },
    ],
  },
];
