/** An authorization server by hand, whose every word a test can choose; friendly unless it is told otherwise. */
import { servePages, type Pages } from '../../kit/pages.ts';

export interface HandIssuer extends Pages {
  /** What it says of itself, with these in place of its own words; undefined removes one. */
  say(more: Readonly<Record<string, unknown>>): void;
  /** What it adds to the address that it sends the browser back to. */
  back: Record<string, string>;
  /** What its token endpoint answers. */
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

/** A server that wants a sign-in, at an issuer. */
export async function startHandResource(issuer: string): Promise<Pages> {
  const pages = await servePages();
  pages.set('/.well-known/oauth-protected-resource/mcp', {
    resource: `${pages.origin}/mcp`,
    authorization_servers: [issuer],
  });
  pages.set('/mcp', (_request, response) => response.writeHead(401, { 'www-authenticate': 'Bearer' }).end());
  return pages;
}
