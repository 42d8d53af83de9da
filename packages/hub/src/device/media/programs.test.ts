import { spawnSync } from 'node:child_process';
import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { afterAll, describe, expect, it } from 'vitest';
import { recordedPorts, type Machine } from '../../../../../test/kit/device-ports.ts';
import { clipArgs, recordClip, chooseEncoder, withOrWithoutSound } from './clip.ts';
import { parseDeviceList, listArgs, findSound } from './list-devices.ts';
import { jpegArgs, quantizerOf } from './encode.ts';
import { runMediaProgram } from '../programs/run-program.ts';
import { inRunFolder } from '../programs/run-folder.ts';

const home = mkdtempSync(join(tmpdir(), 'pincer-media-'));
afterAll(() => rmSync(home, { recursive: true }));

const signal = new AbortController().signal;
const order = {
  video: ['-f', 'x11grab', '-i', ':1'],
  sound: undefined,
  encoder: ['-c:v', 'libx264'],
  durationMs: 1_500,
  maxBytes: 1_000,
};

describe('cameras and microphones as ffmpeg lists them', () => {
  it('are parsed for Windows, with unique names', () => {
    const list = [
      '[dshow @ 000001] "Integrated Camera" (video)',
      String.raw`[dshow @ 000001]   Alternative name "@device_pnp_\\?\usb#1"`,
      '[dshow @ 000001] "OBS Virtual Camera" (none)',
      '[dshow @ 000001] "Microphone (Realtek)" (audio)',
      'dummy: Immediate exit requested',
    ].join('\r\n');
    expect(parseDeviceList(list)).toEqual({
      video: [{ id: String.raw`@device_pnp_\\?\usb#1`, name: 'Integrated Camera' }],
      audio: [{ id: 'Microphone (Realtek)', name: 'Microphone (Realtek)' }],
    });
  });

  it('are parsed from older versions on Windows', () => {
    const list = [
      '[dshow @ 01] DirectShow video devices (some may be both video and audio devices)',
      '[dshow @ 01]  "HD WebCam"',
      '[dshow @ 01]     Alternative name "@device_1"',
      '[dshow @ 01] DirectShow audio devices',
      '[dshow @ 01]  "Mic"',
    ].join('\n');
    expect(parseDeviceList(list)).toEqual({
      video: [{ id: '@device_1', name: 'HD WebCam' }],
      audio: [{ id: 'Mic', name: 'Mic' }],
    });
  });

  it('are parsed for macOS, without screens', () => {
    const list = [
      '[AVFoundation indev @ 0x7f] AVFoundation video devices:',
      '[AVFoundation indev @ 0x7f] [0] FaceTime HD Camera',
      '[AVFoundation indev @ 0x7f] [1] Capture screen 0',
      '[AVFoundation indev @ 0x7f] AVFoundation audio devices:',
      '[AVFoundation indev @ 0x7f] [0] MacBook Pro Microphone',
      ': Input/output error',
    ].join('\n');
    expect(parseDeviceList(list)).toEqual({
      video: [{ id: '0', name: 'FaceTime HD Camera' }],
      audio: [{ id: '0', name: 'MacBook Pro Microphone' }],
    });
  });

  it('are listed with these command lines', () => {
    expect(listArgs('darwin')).toEqual([
      '-hide_banner',
      '-f',
      'avfoundation',
      '-list_devices',
      'true',
      '-i',
      '',
    ]);
    expect(listArgs('win32')!.join(' ')).toBe('-hide_banner -list_devices true -f dshow -i dummy');
    expect(listArgs('linux')).toBeUndefined();
  });
});

describe('sound', () => {
  const of = async (machine: Machine): Promise<string | undefined> => {
    const ports = recordedPorts(machine);
    return (await findSound(ports, 'microphone', { ffmpeg: 'ffmpeg', signal }))?.join(' ');
  };

  it('comes from the source of each system', async () => {
    expect(await of({ platform: 'darwin' })).toBe('-f avfoundation -i :default');
    expect(await of({ env: { PULSE_SERVER: 'unix:/run/pulse' } })).toBe('-f pulse -i default');
    const stderr = Buffer.from('[dshow @ 01] "Mic" (audio)\n');
    expect(await of({ platform: 'win32', answer: () => ({ exitCode: 1, stderr }) })).toBe(
      '-f dshow -i audio=Mic',
    );
  });

  it('is undefined without a device and a server', async () => {
    expect(await of({ env: { XDG_RUNTIME_DIR: home } })).toBeUndefined();
    expect(await of({ platform: 'win32' })).toBeUndefined();
  });

  it('of a screen is the sound that the machine plays', async () => {
    const ports = recordedPorts({ env: { PULSE_SERVER: 'x' } });
    expect((await findSound(ports, 'played', { ffmpeg: 'ffmpeg', signal }))!.at(-1)).toBe(
      '@DEFAULT_MONITOR@',
    );
  });

  it('is left out if recording it fails', async () => {
    const ports = recordedPorts({
      home,
      answer: ({ args }) => {
        if (args.includes('pulse')) return { exitCode: 1, stderr: Buffer.from('Connection refused') };
        writeFileSync(args.at(-1)!, 'clip');
        return {};
      },
    });
    const clip = await withOrWithoutSound(
      { ...order, sound: ['-f', 'pulse', '-i', 'default'] },
      ports.log,
      (each) => recordClip(ports, 'ffmpeg', each, { signal, progress: () => undefined }),
    );
    expect([clip.bytes.toString(), clip.hasAudio]).toEqual(['clip', false]);
    expect(ports.runs).toHaveLength(2);
  });
});

describe('a clip', () => {
  it('has the requested duration, even sides and a limited size', () => {
    expect(clipArgs(order, '/x/clip.mp4').join(' ')).toBe(
      "-hide_banner -loglevel error -nostdin -y -nostats -progress pipe:2 -stats_period 1 -t 1.5 -f x11grab -i :1 -c:v libx264 -vf scale=w='min(1920,trunc(iw/2)*2)':h=-2 -an -movflags +faststart -fs 1001 -f mp4 /x/clip.mp4",
    );
    const sound = ['-f', 'pulse', '-i', 'default'];
    expect(clipArgs({ ...order, sound }, 'f').join(' ')).toContain('-i :1 -t 1.5 -f pulse -i default -c:v');
  });

  it('reports progress, and leaves no file behind', async () => {
    const reports: (number | undefined)[][] = [];
    const ports = recordedPorts({
      home,
      answer: async ({ args, onStderr }) => {
        writeFileSync(args.at(-1)!, 'clip');
        await new Promise((resolve) => setTimeout(resolve, 5));
        onStderr?.(Buffer.from('frame=3\nprogress=continue\n'));
        onStderr?.(Buffer.from('an error that is no progress'));
        return {};
      },
    });
    const bytes = await recordClip(ports, 'ffmpeg', order, {
      signal,
      progress: (done, total) => void reports.push([done, total]),
    });
    expect(bytes.toString()).toBe('clip');
    expect(reports).toEqual([[expect.any(Number), 1_500]]);
    expect(readdirSync(join(home, 'run'))).toEqual([]);
  });

  it('is refused if it is too large', async () => {
    const answer: Machine['answer'] = ({ args }) => {
      writeFileSync(args.at(-1)!, Buffer.alloc(1_001));
      return {};
    };
    const made = recordClip(recordedPorts({ home, answer }), 'ffmpeg', order, {
      signal,
      progress: () => undefined,
    });
    await expect(made).rejects.toMatchObject({
      message: expect.stringMatching(/^PAYLOAD_TOO_LARGE: /) as unknown,
      code: 'PAYLOAD_TOO_LARGE',
    });
  });

  it('uses the best encoder of this ffmpeg', () => {
    const listed = ' V..... mpeg4   MPEG-4\n V....D libx264  H.264\n V..... h264_mf  x';
    expect(chooseEncoder(listed).join(' ')).toBe('-c:v libx264 -preset veryfast -crf 26 -pix_fmt yuv420p');
    expect(chooseEncoder(' V..... h264_videotoolbox  x')[1]).toBe('h264_videotoolbox');
    expect(chooseEncoder('')[1]).toBe('mpeg4');
  });
});

describe('a run folder', () => {
  it('is removed afterwards, together with those of killed hubs', async () => {
    const { pid } = spawnSync(process.execPath, ['--version']);
    mkdirSync(join(home, 'run', `media-${pid}-left`), { recursive: true });
    mkdirSync(join(home, 'run', `media-${process.pid}-in-use`));
    mkdirSync(join(home, 'run', 'something-else'));
    const seen = await inRunFolder(home, 'media', (folder) =>
      Promise.resolve([basename(folder), ...readdirSync(join(home, 'run'))]),
    );
    expect(seen[0]).toMatch(new RegExp(`^media-${process.pid}-`));
    expect(seen).not.toContain(`media-${pid}-left`);
    expect(readdirSync(join(home, 'run')).toSorted()).toEqual([
      `media-${process.pid}-in-use`,
      'something-else',
    ]);
  });
});

describe('a program', () => {
  it('that fails reports its stderr only to the log', async () => {
    const ports = recordedPorts({
      answer: () => ({ exitCode: 1, stderr: Buffer.from('/dev/video0: busy') }),
    });
    await expect(runMediaProgram(ports, { command: 'ffmpeg', args: [], signal })).rejects.toMatchObject({
      name: 'ProgramFailure',
      message: expect.stringContaining('/dev/video0: busy') as unknown,
    });
  });

  it('that was aborted counts as cancelled', async () => {
    const ports = recordedPorts({ answer: () => ({ kind: 'aborted', exitCode: null }) });
    await expect(runMediaProgram(ports, { command: 'ffmpeg', args: [], signal })).rejects.toMatchObject({
      name: 'CommandFailure',
      message: 'cancelled',
    });
  });

  it('writes JPEG with the requested quality', () => {
    expect(jpegArgs({ width: 4, height: 2, channels: 4 }, 80).join(' ')).toContain(
      '-pix_fmt rgba -video_size 4x2 -i pipe:0',
    );
    expect([100, 80, 1].map(quantizerOf)).toEqual([2, 8, 31]);
  });
});
