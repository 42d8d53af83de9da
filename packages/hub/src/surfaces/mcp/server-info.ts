import { VERSION } from '../../version.ts';

/** What Pincer says of itself to a client. */
export const SERVER_INFO = { name: 'pincer', title: 'Pincer', version: VERSION } as const;
