import { define, structured, type Tool } from '../tool.ts';

export const whoami: Tool = {
  definition: define('whoami', 'Returns who the server is and whom it believes to talk to.'),
  handle({ server, caller }) {
    const { era, version, session, client, headers } = caller;
    const { name, transport } = server.flags;
    return structured({ name, transport, era, version, session, client, headers: { ...headers } });
  },
};
