/** Sends one request of a sign-in: to allowed addresses only, without redirects, bounded in size and time. */
import { lookup as systemLookup, type LookupAddress } from 'node:dns';
import { Client, type Dispatcher } from 'undici';
import { PincerError } from '../../../core/errors.ts';
import type { Limits } from '../../../core/limits.ts';
import { reachOf } from '../../../lib/net-address.ts';
import { allows, checkedUrl, refusedAddress, type Bounds } from './bounds.ts';

export interface Question {
  /** Names the target in error messages: `The token endpoint`. */
  readonly what: string;
  readonly method?: 'GET' | 'POST';
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string;
}

export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly text: string;
  /** It came from a private address, over a connection that authenticated the host. */
  readonly isFromPrivate: boolean;
}

export type GuardedFetch = (address: string | URL, bounds: Bounds, question: Question) => Promise<Answer>;

export interface GuardedFetchParts {
  readonly limits: Pick<Limits, 'signInDocumentMs' | 'maxSignInDocumentBytes'>;
  /** Defaults to the resolver of the system. */
  readonly resolve?: Resolve;
}

export type Resolve = (
  host: string,
  done: (error: Error | null, addresses: readonly LookupAddress[]) => void,
) => void;

const bySystem: Resolve = (host, done) =>
  systemLookup(host, { all: true, order: 'verbatim' }, (error, addresses) => done(error, addresses));

export const createGuardedFetch =
  ({ limits, resolve = bySystem }: GuardedFetchParts): GuardedFetch =>
  async (address, bounds, question) => {
    const url = checkedUrl(address, bounds, question.what);
    const exchange: Exchange = { url, bounds, question, resolve, reached: url.hostname };
    const client = openClient(exchange);
    try {
      return await ask(client, exchange, limits);
    } catch (error) {
      throw PincerError.is(error) ? error : (causeOf(error) ?? unreachable(exchange, error, limits));
    } finally {
      await client.destroy().catch(() => undefined);
    }
  };

interface Exchange {
  readonly url: URL;
  readonly bounds: Bounds;
  readonly question: Question;
  readonly resolve: Resolve;
  /** The host; once it is resolved, its IP address. */
  reached: string;
}

function openClient(exchange: Exchange): Client {
  const { url, bounds, question, resolve } = exchange;
  return new Client(url.origin, {
    connect: {
      lookup(host, options, done) {
        resolve(host, (error, addresses) => {
          const found = addresses.at(0);
          if (error !== null || found === undefined) return done(error ?? new Error('no address'), '', 4);
          // One refused address is enough: the connection may go to any of them.
          const isFine = addresses.every(({ address }) => allows(bounds, url.hostname, address));
          if (!isFine) return done(refusedAddress(question.what, url), '', 4);
          const publicOne = addresses.find(({ address }) => reachOf(address) === 'public');
          exchange.reached = (publicOne ?? found).address;
          if (options.all === true) done(null, [...addresses]);
          else done(null, found.address, found.family);
        });
      },
    },
  });
}

async function ask(client: Client, exchange: Exchange, limits: GuardedFetchParts['limits']): Promise<Answer> {
  const { what, method = 'GET', headers = {}, body } = exchange.question;
  const response = await client.request({
    path: exchange.url.pathname + exchange.url.search,
    method,
    headers: { accept: 'application/json', 'accept-encoding': 'identity', ...headers },
    ...(body !== undefined && { body }),
    signal: AbortSignal.timeout(limits.signInDocumentMs),
  });
  // The reader gets the error. Without a listener, an abandoned body would end the process.
  response.body.on('error', () => undefined);
  const { statusCode: status } = response;
  if (status >= 300 && status < 400) {
    response.body.destroy();
    throw new PincerError(
      'SIGN_IN_FAILED',
      `${what} redirects (HTTP ${status}), and Pincer follows no redirects.`,
    );
  }
  const text = await readText(response, what, limits.maxSignInDocumentBytes);
  return { status, headers: response.headers, text, isFromPrivate: reachOf(exchange.reached) === 'private' };
}

async function readText({ body }: Dispatcher.ResponseData, what: string, maxBytes: number): Promise<string> {
  const chunks: Buffer[] = [];
  let size = 0;
  for await (const chunk of body as AsyncIterable<Buffer>) {
    size += chunk.length;
    if (size > maxBytes) {
      body.destroy();
      throw new PincerError('SIGN_IN_FAILED', `${what} is larger than ${maxBytes} bytes.`, {
        hint: 'Raise limits.maxSignInDocumentBytes if that is right.',
      });
    }
    chunks.push(chunk);
  }
  return Buffer.concat(chunks).toString('utf8');
}

/** Finds our own refusal, which undici wraps into an error of the connection. */
function causeOf(error: unknown): PincerError | undefined {
  for (let each = error; each instanceof Error; each = each.cause) if (PincerError.is(each)) return each;
  return undefined;
}

const unreachable = (
  { url, question }: Exchange,
  error: unknown,
  limits: GuardedFetchParts['limits'],
): PincerError => {
  const { name, code, message } = error as { name?: string; code?: string; message?: string };
  const why = name === 'TimeoutError' ? `no answer within ${limits.signInDocumentMs} ms` : (code ?? message);
  return new PincerError(
    'SIGN_IN_FAILED',
    `${question.what} could not be fetched from ${url.origin} (${why}).`,
    {
      cause: error,
      data: { isUnanswered: true },
    },
  );
};
