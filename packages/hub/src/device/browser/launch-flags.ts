/** The command line of the browser. Pure. */

export interface Launch {
  readonly platform: NodeJS.Platform;
  readonly isRoot: boolean;
  /** Folder of its profile, empty before it starts. */
  readonly profile: string;
  /** `127.0.0.1:port` of the guard, through which alone its pages reach the network. */
  readonly guard: string;
  /** Absent: there is no window. */
  readonly window?: WindowPlace | undefined;
  readonly extraArgs: readonly string[];
}

export interface WindowPlace {
  readonly width: number;
  readonly height: number;
  /** Absent: where the desktop puts it. */
  readonly x?: number | undefined;
  readonly y?: number | undefined;
}

/** What a window shows before its page does. */
const FIRST_PAGE = 'data:text/html,<title>Canvas</title>';

const ALWAYS: readonly string[] = [
  '--remote-debugging-pipe',
  '--disable-gpu',
  '--no-first-run',
  '--no-default-browser-check',
  // It talks to nobody on its own account.
  '--disable-background-networking',
  '--disable-component-update',
  '--disable-sync',
  '--disable-breakpad',
  '--disable-domain-reliability',
  '--disable-default-apps',
  '--disable-extensions',
  '--metrics-recording-only',
  '--disable-features=Translate,MediaRouter,OptimizationHints,DialMediaRouteProvider,AutofillServerCommunication',
  // The keyring of the person is none of its business.
  '--password-store=basic',
  '--use-mock-keychain',
  // All that is not HTTP over the guard: QUIC and the UDP of WebRTC, which older versions know by its second name.
  '--disable-quic',
  '--webrtc-ip-handling-policy=disable_non_proxied_udp',
  '--force-webrtc-ip-handling-policy=disable_non_proxied_udp',
  // Pages of agents ask the person for nothing; what a page may do it is granted.
  '--deny-permission-prompts',
];

export function launchFlags({ platform, isRoot, profile, guard, window, extraArgs }: Launch): string[] {
  return [
    ...ALWAYS,
    `--user-data-dir=${profile}`,
    `--proxy-server=http://${guard}`,
    // Without this Chromium goes to loopback addresses by itself.
    '--proxy-bypass-list=<-loopback>',
    // Chromium refuses to start with its sandbox as root; nowhere else is it switched off.
    ...(platform === 'linux' && isRoot ? ['--no-sandbox', '--test-type'] : []),
    ...(window === undefined ? ['--headless', '--hide-scrollbars', '--mute-audio'] : windowFlags(window)),
    ...(window !== undefined && platform === 'linux' ? ['--ozone-platform-hint=auto'] : []),
    ...extraArgs,
    ...(window === undefined ? ['about:blank'] : []),
  ];
}

const windowFlags = ({ width, height, x, y }: WindowPlace): string[] => [
  `--app=${FIRST_PAGE}`,
  `--window-size=${width},${height}`,
  ...(x === undefined || y === undefined ? [] : [`--window-position=${x},${y}`]),
];
