import type { AppEvent } from '../core/call/record.ts';

/** What an app did, besides being called; whoever keeps it knows the time. No outcome: it worked. */
export type Happened = Omit<AppEvent, 'at' | 'caller' | 'outcome'> & Partial<Pick<AppEvent, 'outcome'>>;

export type OnAppEvent = (event: Happened) => void;
