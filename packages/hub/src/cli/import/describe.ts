/** A plan for `--json`. No value of a secret is in it. */
import type { Origin, Plan } from './plan.ts';

export const describePlan = ({ add, skipped, problems }: Plan): object => ({
  servers: add.map(({ name, origin, config, kept, sends, missing, signIn, notes }) => ({
    name,
    from: describeOrigin(origin),
    config,
    secrets: kept.map(({ secret, path }) => ({ secret, path })),
    sends,
    missing,
    signIn,
    notes,
  })),
  skipped: skipped.map(({ origin, reason, kind }) => ({ from: describeOrigin(origin), kind, reason })),
  problems: problems.map(({ client, file, error }) => ({
    client: client.id,
    file,
    line: error.data?.['line'],
    message: error.message,
    hint: error.hint,
  })),
});

const describeOrigin = ({ client, file, project, isOwn, name }: Origin): object => ({
  client: client.id,
  file,
  project,
  isOwn,
  name,
});
