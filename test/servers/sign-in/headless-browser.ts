/** A browser without a window: follows redirects, keeps cookies and submits forms. */

export interface Visit {
  /** The final redirect URL. */
  callback: URL;
  /** The page at that URL; undefined if the browser did not open it. */
  page: { status: number; text: string } | undefined;
}

const MAX_STEPS = 12;

interface Page {
  url: URL;
  status: number;
  location: URL | undefined;
  text: string;
}

type Go = (url: URL, form?: URLSearchParams) => Promise<Page>;

function openBrowser(): Go {
  const cookies = new Map<string, string>();
  return async (url, form) => {
    const cookie = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ');
    const response = await fetch(url, {
      redirect: 'manual',
      headers: { cookie },
      ...(form && { method: 'POST', body: form }),
    });
    for (const line of response.headers.getSetCookie()) {
      const [name = '', value = ''] = line.split(';')[0]!.split('=');
      cookies.set(name, value);
    }
    const location = response.headers.get('location');
    return {
      url,
      status: response.status,
      location: location === null ? undefined : new URL(location, url),
      text: await response.text(),
    };
  };
}

/**
 * Opens a link and follows redirects until its `redirect_uri`. With `goesBack` it opens that too, as a browser on the
 * same machine does.
 */
export async function visit(link: string, { goesBack = true } = {}): Promise<Visit> {
  const go = openBrowser();
  const redirectUri = new URL(link).searchParams.get('redirect_uri') ?? '';
  let url = new URL(link);
  for (let step = 0; step < MAX_STEPS; step++) {
    if (redirectUri !== '' && url.href.startsWith(redirectUri)) {
      if (!goesBack) return { callback: url, page: undefined };
      const { status, text } = await openBrowser()(url);
      return { callback: url, page: { status, text } };
    }
    const { status, location, text } = await go(url);
    if (location === undefined) throw new Error(`the browser stays at ${url.href}: ${status} ${text}`);
    url = location;
  }
  throw new Error(`too many redirects from ${link}`);
}

/** Enters a device code, confirms every page, and returns the last one. */
export async function typeCode(address: string, userCode: string): Promise<string> {
  const go = openBrowser();
  let page = await go(new URL(address));
  for (let step = 0; step < MAX_STEPS; step++) {
    const xsrf = /name="xsrf" value="([^"]+)"/.exec(page.text)?.[1];
    if (page.location !== undefined) page = await go(page.location);
    else if (xsrf === undefined) return page.text;
    else page = await go(page.url, new URLSearchParams({ xsrf, user_code: userCode, confirm: 'yes' }));
  }
  throw new Error(`no end to ${address}`);
}
