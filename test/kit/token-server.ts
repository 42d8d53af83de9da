/** An authorization server as far as renewing goes: it rotates refresh tokens, and whoever uses one twice loses all. */
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
  /** Bodies of all requests to the token endpoint, in their order. */
  readonly asked: URLSearchParams[] = [];
  /** How it refuses everything, where it does. */
  refusal: Refusal | undefined;
  expiresIn: number | undefined = 3_600;
  /** Access tokens that it gave out, in their order. */
  readonly given: string[] = [];
  /** Whoever lost the answer may spend a refresh token again. */
  isForgiving = false;
  /** What happens when all is decided and nothing is said yet. */
  beforeAnswer: () => void = () => undefined;
  /** What happens when the answer has left. */
  afterAnswer: () => void = () => undefined;
  /** Held back until this resolves. */
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

  /** Whether a resource server would let it in. */
  accepts(authorization: string | undefined): boolean {
    return this.#access.has(authorization?.replace(/^Bearer /, '') ?? '');
  }

  /** What it gave out until now is worth nothing any more; what renews it still is, unless `all`. */
  revoke(all: 'access' | 'all' = 'access'): void {
    this.#access.clear();
    if (all === 'all') this.#refresh.clear();
  }

  /** A grant as a sign-in would have left it. */
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

  /** RFC 8414, as far as signing in without anybody needs it. */
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
    // RFC 6749 §4.4.3: whoever can come again at any time gets nothing to come again with.
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
