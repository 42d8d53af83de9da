/** A browser without a window: follows redirects and keeps cookies, until it is sent back to this machine. */

export interface Visit {
  /** Where it was sent to in the end. */
  callback: URL;
  /** What it was shown there; undefined: it was told not to go. */
  page: { status: number; text: string } | undefined;
}

const MAX_STEPS = 12;

/** `goesBack`: whether it opens the address that it is sent back to, as a browser on the same machine does. */
export async function visit(link: string, { goesBack = true } = {}): Promise<Visit> {
  const redirectUri = new URL(link).searchParams.get('redirect_uri') ?? '';
  const cookies = new Map<string, string>();
  let url = new URL(link);
  for (let step = 0; step < MAX_STEPS; step++) {
    if (redirectUri !== '' && url.href.startsWith(redirectUri)) {
      if (!goesBack) return { callback: url, page: undefined };
      const answer = await fetch(url, { redirect: 'manual' });
      return { callback: url, page: { status: answer.status, text: await answer.text() } };
    }
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const response = await fetch(url, { redirect: 'manual', headers: { cookie } });
    for (const line of response.headers.getSetCookie()) {
      const [name = '', value = ''] = line.split(';')[0]!.split('=');
      cookies.set(name, value);
    }
    const location = response.headers.get('location');
    const text = await response.text();
    if (location === null) throw new Error(`the browser stays at ${url.href}: ${response.status} ${text}`);
    url = new URL(location, url);
  }
  throw new Error(`too many redirects from ${link}`);
}
