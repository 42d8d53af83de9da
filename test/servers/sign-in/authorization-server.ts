/**
 * A real authorization server on a free loopback port: `oidc-provider` with PKCE, registration, metadata documents,
 * resource indicators, rotation with reuse detection, revocation, DPoP and device codes. Every visitor is signed in
 * and consents.
 */
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { generateKeyPairSync } from 'node:crypto';
import Provider, { errors } from 'oidc-provider';
import MemoryAdapter from 'oidc-provider/lib/adapters/memory_adapter.js';

export interface AuthorizationServerOptions {
  /** Scopes by resource; a function, because a resource may start later. */
  resources: () => Readonly<Record<string, string>>;
  /** Pre-registered clients. */
  clients?: readonly object[];
  /** Client id metadata documents, by URL. */
  documents?: Readonly<Record<string, object>>;
  accessTokenSeconds?: number;
  /** If false, programs cannot register themselves. */
  registration?: boolean;
  /** The token endpoint requires its own nonce in DPoP proofs. */
  requireNonce?: boolean;
}

export interface AuthorizationServer extends AsyncDisposable {
  issuer: string;
  /** `METHOD /path` of all requests. */
  requests: string[];
  tokenRequests: URLSearchParams[];
  /** The responses of the token endpoint. */
  tokenAnswers: Record<string, unknown>[];
  /** Errors that the provider reported. */
  errors: string[];
  /** Revokes every grant, so that refresh tokens stop working. */
  revokeAll(): Promise<void>;
}

export async function startAuthorizationServer(
  options: AuthorizationServerOptions,
): Promise<AuthorizationServer> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const issuer = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const failures: string[] = [];
  const grants: string[] = [];
  const provider = new Provider(issuer, configurationOf(options));
  for (const event of ['server_error', 'authorization.error', 'grant.error', 'registration_create.error'])
    provider.on(event, (_context, error) => failures.push(`${event}: ${describe(error)}`));
  const tokenAnswers: Record<string, unknown>[] = [];
  provider.on('grant.success', (context) =>
    tokenAnswers.push((context as { body: Record<string, unknown> }).body),
  );
  const handle = provider.callback();
  const requests: string[] = [];
  const tokenRequests: URLSearchParams[] = [];

  server.on('request', (request: IncomingMessage, response: ServerResponse) => {
    const path = new URL(request.url ?? '/', issuer).pathname;
    requests.push(`${request.method} ${path}`);
    if (path === '/token') noteBody(request, tokenRequests);
    if (!path.startsWith('/interaction/')) return handle(request, response);
    agree(provider, request, response, grants).catch((error: unknown) => {
      failures.push(`interaction: ${describe(error)}`);
      response.writeHead(500).end();
    });
  });
  return {
    issuer,
    requests,
    tokenRequests,
    tokenAnswers,
    errors: failures,
    async revokeAll() {
      for (const id of grants.splice(0)) await (await provider.Grant.find(id))?.destroy();
    },
    async [Symbol.asyncDispose]() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}

/** A subclass avoids the provider's warning that its own adapter keeps data in memory only. */
class Memory extends MemoryAdapter {}

const SIGNING_KEY = {
  ...generateKeyPairSync('rsa', { modulusLength: 2_048 }).privateKey.export({ format: 'jwk' }),
  use: 'sig',
};

/** What a page consists of. */
interface Shown {
  type: string;
  body: unknown;
}

function configurationOf(options: AuthorizationServerOptions): object {
  const { resources, clients = [], documents = {}, accessTokenSeconds = 3_600 } = options;
  return {
    clients,
    adapter: Memory,
    jwks: { keys: [SIGNING_KEY] },
    pkce: { required: () => true },
    scopes: ['openid', 'offline_access'],
    clientDefaults: {
      grant_types: ['authorization_code', 'refresh_token'],
      response_types: ['code'],
      token_endpoint_auth_method: 'none',
    },
    clientAuthMethods: ['none', 'client_secret_basic', 'client_secret_post', 'private_key_jwt'],
    ttl: {
      AccessToken: accessTokenSeconds,
      ClientCredentials: accessTokenSeconds,
      AuthorizationCode: 60,
      RefreshToken: 86_400,
      DeviceCode: 60,
      Session: 3_600,
      Interaction: 600,
      Grant: 86_400,
      IdToken: 600,
    },
    issueRefreshToken: async (_context: unknown, client: { grantTypeAllowed(type: string): boolean }) =>
      client.grantTypeAllowed('refresh_token'),
    rotateRefreshToken: true,
    findAccount: async (_context: unknown, id: string) => ({
      accountId: id,
      claims: async () => ({ sub: id }),
    }),
    interactions: { url: (_context: unknown, { uid }: { uid: string }) => `/interaction/${uid}` },
    features: {
      devInteractions: { enabled: false },
      registration: { enabled: options.registration ?? true },
      revocation: { enabled: true, allowedPolicy: async () => true },
      clientCredentials: { enabled: true },
      deviceFlow: {
        enabled: true,
        userCodeInputSource: async (context: Shown, form: string) => void (context.body = form),
        userCodeConfirmSource: async (context: Shown, form: string) => void (context.body = form),
        successSource: async (context: Shown) => void (context.body = 'agreed'),
      },
      dPoP: {
        enabled: true,
        nonceSecret: Buffer.alloc(32, 7),
        requireNonce: () => options.requireNonce ?? false,
      },
      clientIdMetadataDocument: { enabled: true, ack: 'draft-02', allowFetch: async () => true },
      resourceIndicators: {
        enabled: true,
        defaultResource: async () => undefined,
        useGrantedResource: async () => true,
        getResourceServerInfo: async (_context: unknown, resource: string) => {
          const scope = resources()[resource];
          if (scope === undefined) throw new errors.InvalidTarget();
          return {
            scope,
            audience: resource,
            accessTokenFormat: 'jwt',
            accessTokenTTL: accessTokenSeconds,
            jwt: { sign: { alg: 'RS256' } },
          };
        },
      },
    },
    cookies: { keys: ['for tests alone'] },
    renderError: async (context: Shown, out: unknown) => {
      context.type = 'json';
      context.body = out;
    },
    // Documents are served from memory, so a test sends no request to other machines.
    fetch: async (url: URL | string) => {
      const document = documents[String(url)];
      if (document === undefined) throw new Error(`no document at ${String(url)}`);
      return Response.json(document);
    },
  };
}

/** Signs in and consents to everything. */
async function agree(
  provider: Provider,
  request: IncomingMessage,
  response: ServerResponse,
  grants: string[],
): Promise<void> {
  const { prompt, params, session, grantId } = await provider.interactionDetails(request, response);
  if (prompt.name === 'login') {
    const result = { login: { accountId: 'alice' } };
    return provider.interactionFinished(request, response, result, { mergeWithLastSubmission: false });
  }
  const known = grantId === undefined ? undefined : await provider.Grant.find(grantId);
  const grant = known ?? new provider.Grant({ accountId: session?.accountId, clientId: params['client_id'] });
  const { missingOIDCScope, missingOIDCClaims, missingResourceScopes } = prompt.details;
  if (missingOIDCScope) grant.addOIDCScope(missingOIDCScope.join(' '));
  if (missingOIDCClaims) grant.addOIDCClaims(missingOIDCClaims);
  for (const [resource, scopes] of Object.entries(missingResourceScopes ?? {}))
    grant.addResourceScope(resource, scopes.join(' '));
  const id = await grant.save();
  grants.push(id);
  const consent = known === undefined ? { grantId: id } : {};
  await provider.interactionFinished(request, response, { consent }, { mergeWithLastSubmission: true });
}

/** Records the body while the provider handles the request. */
function noteBody(request: IncomingMessage, into: URLSearchParams[]): void {
  const chunks: Buffer[] = [];
  request.on('data', (chunk: Buffer) => chunks.push(chunk));
  request.on('end', () => into.push(new URLSearchParams(Buffer.concat(chunks).toString())));
}

function describe(error: unknown): string {
  const { error: code, error_description: text, error_detail: detail } = error as Record<string, string>;
  return [code ?? (error as Error).message, text, detail].filter((part) => part !== undefined).join(' ');
}
