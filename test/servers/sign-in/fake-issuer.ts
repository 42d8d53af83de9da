/** A fake authorization server whose every response a test can set; correct by default. */
import { servePages, type Pages } from '../../kit/pages.ts';

export interface HandIssuer extends Pages {
  /** Overrides members of its metadata; undefined removes one. */
  say(more: Readonly<Record<string, unknown>>): void;
  /** Parameters added to the redirect URL. */
  back: Record<string, string>;
  /** The response of the token endpoint. */
  token: object;
}

const METADATA = '/.well-known/oauth-authorization-server';

export async function startHandIssuer(): Promise<HandIssuer> {
  const pages = await servePages();
  const { origin } = pages;
  const friendly = {
    issuer: origin,
    authorization_endpoint: `${origin}/authorize`,
    token_endpoint: `${origin}/token`,
    registration_endpoint: `${origin}/register`,
    code_challenge_methods_supported: ['S256'],
    authorization_response_iss_parameter_supported: true,
  };
  const issuer: HandIssuer = {
    ...pages,
    say: (more) => pages.set(METADATA, { ...friendly, ...more }),
    back: { code: 'a-code', iss: origin },
    token: { access_token: 'a-token', token_type: 'Bearer' },
  };
  issuer.say({});
  pages.set('/register', (_request, response) => response.end('{"client_id":"given"}'));
  pages.set('/token', (_request, response) => response.end(JSON.stringify(issuer.token)));
  pages.set('/authorize', (request, response) => {
    const asked = new URL(request.url ?? '/', origin).searchParams;
    const back = new URL(asked.get('redirect_uri') ?? '');
    back.searchParams.set('state', asked.get('state') ?? '');
    for (const [name, value] of Object.entries(issuer.back)) back.searchParams.set(name, value);
    response.writeHead(302, { location: back.href }).end();
  });
  return issuer;
}

/** A server that requires a sign-in at this issuer. */
export async function startHandResource(issuer: string): Promise<Pages> {
  const pages = await servePages();
  pages.set('/.well-known/oauth-protected-resource/mcp', {
    resource: `${pages.origin}/mcp`,
    authorization_servers: [issuer],
  });
  pages.set('/mcp', (_request, response) => response.writeHead(401, { 'www-authenticate': 'Bearer' }).end());
  return pages;
}
