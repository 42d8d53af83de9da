/** What can be read of this machine besides calling it. */
export const ACTIVITY_URI = 'device://activity';
export const CAPABILITIES_URI = 'device://capabilities';

export const DEVICE_RESOURCES = [
  {
    uri: ACTIVITY_URI,
    name: 'activity',
    title: 'Recent activity',
    description:
      'The latest calls of this machine: what was called, by whom, how it ended and how long it took. Arguments and results are not in it.',
    mimeType: 'application/json',
  },
  {
    uri: CAPABILITIES_URI,
    name: 'capabilities',
    title: 'Capabilities',
    description:
      'Every capability of this machine: whether it is switched on, what does the work, and where something is missing, what to install.',
    mimeType: 'application/json',
  },
] as const;

export type DeviceUri = (typeof DEVICE_RESOURCES)[number]['uri'];
