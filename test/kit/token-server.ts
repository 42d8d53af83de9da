/** An authorization server that only refreshes tokens. It rotates refresh tokens and revokes all if one is used twice. */
import { randomBytes } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import type { Grant } from '../../packages/hub/src/servers/oauth/grant.ts';

export interface Refusal {
  status: number;
  body: object | string;
}

export class TokenServer implements AsyncDisposable {
  /** Bodies of all token requests, in order. */
  readonly asked: URLSearchParams[] = [];
  /** If set, every request is refused with this. */
  refusal: Refusal | undefined;
  expiresIn: number | undefined = 3_600;
  /** Issued access tokens, in order. */
  readonly given: string[] = [];
  /** Accepts a used refresh token again, as if the answer was lost. */
  isForgiving = false;
  /** Runs after the decision, before the answer is sent. */
  beforeAnswer: () => void = () => undefined;
  /** Runs after the answer was sent. */
  afterAnswer: () => void = () => undefined;
  /** Delays answers until this resolves. */
  gate: Promise<void> = Promise.resolve();
  readonly #server: Server;
  readonly #access = new Set<string>();
  readonly #refresh = new Map<string, 'new' | 'used'>();

  private constructor(server: Server) {
    this.#server = server.on('request', (request, response) => void this.#answer(request, response));
  }

  static async start(): Promise<TokenServer> {
    const server = createServer().listen(0, '127.0.0.1');
    await once(server, 'listening');
    return new TokenServer(server);
  }

  get origin(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`;
  }

  /** Whether a resource server would accept this header. */
  accepts(authorization: string | undefined): boolean {
    return this.#access.has(authorization?.replace(/^Bearer /, '') ?? '');
  }

  /** Revokes all access tokens; with `all`, refresh tokens too. */
  revoke(all: 'access' | 'all' = 'access'): void {
    this.#access.clear();
    if (all === 'all') this.#refresh.clear();
  }

  /** A grant as a sign-in would leave it. */
  grant(server: string, resource: string, rest: Partial<Grant> = {}): Grant {
    const { access_token: accessToken, refresh_token: refreshToken } = this.#issue();
    return {
      key: { server, issuer: this.origin, resource, caller: 'shared' },
      client: { clientId: 'pincer', authMethod: 'none', how: 'configured' },
      signInId: secret(),
      tokenEndpoint: `${this.origin}/token`,
      accessToken,
      refreshToken,
      obtainedAt: Date.now(),
      expiresAt: Date.now() + 3_600_000,
      scopes: ['read'],
      sendsResource: true,
      ...rest,
    };
  }

  #issue(): { access_token: string; refresh_token: string } {
    const [access, refresh] = [`access-${secret()}`, `refresh-${secret()}`];
    this.#access.add(access);
    this.given.push(access);
    this.#refresh.set(refresh, 'new');
    return { access_token: access, refresh_token: refresh };
  }

  /** RFC 8414, as far as a sign-in without a person needs it. */
  get #metadata(): object {
    return {
      issuer: this.origin,
      authorization_endpoint: `${this.origin}/authorize`,
      token_endpoint: `${this.origin}/token`,
      response_types_supported: ['code'],
      grant_types_supported: ['refresh_token', 'client_credentials'],
      code_challenge_methods_supported: ['S256'],
      token_endpoint_auth_methods_supported: ['client_secret_basic', 'client_secret_post'],
    };
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    if (request.method === 'GET') {
      const isKnown = request.url === '/.well-known/oauth-authorization-server';
      response.writeHead(isKnown ? 200 : 404, { 'content-type': 'application/json' });
      response.end(JSON.stringify(isKnown ? this.#metadata : {}));
      return;
    }
    const params = new URLSearchParams(await text(request));
    this.asked.push(params);
    await this.gate;
    const say = (status: number, body: object | string): void => {
      response.writeHead(status, { 'content-type': 'application/json' });
      response.end(typeof body === 'string' ? body : JSON.stringify(body));
    };
    if (this.refusal !== undefined) return say(this.refusal.status, this.refusal.body);
    const spent = params.get('refresh_token') ?? '';
    const known = this.#refresh.get(spent);
    const state = known === 'used' && this.isForgiving ? 'new' : known;
    if (params.get('grant_type') === 'refresh_token' && state !== 'new') {
      if (state === 'used') this.revoke('all');
      return say(400, { error: 'invalid_grant', error_description: 'spent' });
    }
    this.#refresh.set(spent, 'used');
    const { access_token, refresh_token } = this.#issue();
    // RFC 6749 §4.4.3: the client credentials grant issues no refresh token.
    const again = params.get('grant_type') === 'client_credentials' ? {} : { refresh_token };
    this.beforeAnswer();
    response.on('finish', this.afterAnswer);
    return say(200, { access_token, ...again, token_type: 'Bearer', expires_in: this.expiresIn });
  }

  async [Symbol.asyncDispose](): Promise<void> {
    this.#server.closeAllConnections();
    this.#server.close();
    await once(this.#server, 'close');
  }
}

const secret = (): string => randomBytes(16).toString('hex');
