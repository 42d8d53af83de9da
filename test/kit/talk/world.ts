/** A hub, talking servers, and clients that check whether they receive all of their own messages and no others. */
import { setTimeout as sleep } from 'node:timers/promises';
import type { ServerFlags } from '../../servers/flags.ts';
import { startHttpServer, type RunningServer } from '../../servers/start.ts';
import { startHub, type TestHub } from '../hub.ts';
import { httpServer, stdioServer } from '../servers.ts';
import { clientsOf } from './clients.ts';
import { MARKER, type Operation } from './operation.ts';
import { Peer, type Observer } from './peer.ts';
import { isOrderly, planOf, type Plan } from './plan.ts';

export interface ServerKind {
  transport: ServerFlags['transport'];
  era: ServerFlags['era'];
  /** Settings of its configuration entry. */
  settings?: object;
}

/** Starts one operation of a client. */
export interface Step {
  /** The peer's index or name. */
  peer: number | string;
  plan: Plan;
  /** Delay after the previous step. */
  gapMs: number;
}

export const step = (peer: string, script: string, more: Partial<Plan> = {}, gapMs = 0): Step => ({
  peer,
  plan: planOf(script, more),
  gapMs,
});

export interface World extends AsyncDisposable {
  hub: TestHub;
  peers: readonly Peer[];
  /** Performs all steps, waits until each operation has ended, and returns the complaints. */
  play(steps: readonly Step[]): Promise<string[]>;
  /** How many messages of each kind all clients have received. */
  tally(): Peer['tally'];
}

/** Shorter than the hub's own timeout of a call. */
const END_MS = 20_000;

export async function openWorld(kinds: Record<string, ServerKind>, limits: object = {}): Promise<World> {
  const running: RunningServer[] = [];
  const servers: Record<string, object> = {};
  for (const [name, { transport, era, settings }] of Object.entries(kinds)) {
    const flags = { name, era, talk: true, tools: ['echo'] };
    if (transport === 'http') running.push(await startHttpServer(flags));
    servers[name] =
      transport === 'http' ? httpServer(running.at(-1)!.url, settings) : stdioServer(flags, settings);
  }
  const hub = await startHub({ servers, config: { limits } });
  const complaints: string[] = [];
  const peers: Peer[] = [];
  const ownerOf = (marker: string): Peer | undefined => peers.find((peer) => peer.owns(marker) !== undefined);
  const observer: Observer = {
    complain(peer, what) {
      const about = [...new Set(what.match(MARKER))].map((marker) => {
        const owner = ownerOf(marker);
        return `  ${marker} is of ${owner?.traits.name}: ${JSON.stringify(owner?.owns(marker))}`;
      });
      complaints.push([`${peer.traits.name} ${what}`, ...about].join('\n'));
    },
    tellsCalls: (server) => kinds[server]?.transport === 'http',
    // If the wire does not tell which call a message belongs to, all clients of a credential receive it.
    mayOverhear(peer, marker) {
      const owner = ownerOf(marker);
      const plan = owner?.owns(marker)?.plan;
      if (plan === undefined || owner?.traits.credential !== peer.traits.credential) return false;
      return kinds[plan.server]?.transport === 'stdio' || !isOrderly(plan);
    },
    /** All other peers that could answer do so before the one that was asked. */
    onAsked(victim, asked) {
      for (const peer of peers) {
        const { era, credential } = peer.traits;
        if (peer === victim) continue;
        if (!('params' in asked)) {
          if (era === 'legacy') peer.forge(asked.id);
        } else if (era === 'modern' && credential !== victim.traits.credential) peer.steal(asked);
      }
    },
  };
  for (const traits of await clientsOf(hub)) peers.push(new Peer(traits, observer));
  await Promise.all(peers.map((peer) => peer.begin()));

  async function play(steps: readonly Step[]): Promise<string[]> {
    const begun: [Peer, Operation][] = [];
    for (const { peer: which, plan, gapMs } of steps) {
      if (gapMs > 0) await sleep(gapMs);
      const peer = peers.find(({ traits }, index) => which === index || which === traits.name);
      if (peer === undefined) throw new Error(`no such peer: ${which}`);
      const operation = peer.start(plan);
      begun.push([peer, operation]);
      if (plan.cancelMs !== undefined) setTimeout(() => peer.cancel(operation), plan.cancelMs);
    }
    const late = sleep(END_MS, 'late' as const, { ref: false });
    for (const [peer, operation] of begun)
      if ((await Promise.race([operation.ended, late])) === 'late')
        observer.complain(peer, `never saw the end of ${operation.marker}`);
    return complaints.splice(0);
  }

  return {
    hub,
    peers,
    play,
    tally() {
      const sum = { ...peers[0]!.tally };
      for (const { tally } of peers.slice(1))
        for (const kind of Object.keys(sum) as (keyof typeof sum)[]) sum[kind] += tally[kind];
      return sum;
    },
    async [Symbol.asyncDispose]() {
      for (const peer of peers) await peer.wire[Symbol.asyncDispose]();
      await hub[Symbol.asyncDispose]();
      for (const server of running) await server.stop();
    },
  };
}
