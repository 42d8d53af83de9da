import type { Command } from 'commander';
import type { Registration } from './registration.ts';

export function addDeviceCommands(program: Command, { context, end }: Registration): void {
  const device = program
    .command('device')
    .usage('[on|off NAME...]')
    .summary('what this machine can do')
    .description(
      'What this machine can do for its clients: each capability with its switch, and the program that does the work or what is missing for it.',
    )
    .helpCommand(false)
    .action(async () => {
      const { device: show } = await import('../commands/device.ts');
      end(await show(context));
    });
  for (const [word, isOn] of [
    ['on', true],
    ['off', false],
  ] as const)
    device
      .command(word)
      .usage('NAME...')
      .summary(`switch capabilities ${word}`)
      .description(
        isOn
          ? 'Switches capabilities on. Screen, camera, location and clipboard are off until you do.'
          : 'Switches capabilities off: nobody is offered them any more.',
      )
      .argument('[name...]')
      .action(async (names: string[]) => {
        const { switchDevice } = await import('../commands/device.ts');
        end(await switchDevice(names, isOn, context));
      });
}
