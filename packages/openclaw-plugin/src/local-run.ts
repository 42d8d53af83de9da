/** Whether this process is `openclaw agent --local`: one turn without a gateway, and so without services. */
export const isLocalRun = (argv: readonly string[]): boolean =>
  argv[2] === 'agent' && argv.includes('--local');
