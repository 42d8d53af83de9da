/** What to do for whoever has to sign in to a server. Pure. */

/** `name` of whoever has to is there where everyone signs in for themselves. */
export const signInHint = (server: string, name: string | undefined): string =>
  name === undefined
    ? `Run \`pincer login ${server}\`, or /mcp auth ${server} in OpenClaw.`
    : `Everyone signs in to it for themselves: run \`pincer login ${server} --caller ${name}\`, or /mcp auth ${server} in OpenClaw.`;
