/** The documented texts of failures, by what was asked. */
export interface Texts {
  readonly notAvailable: string;
  readonly failed: string;
}

export const LIST_TEXTS: Texts = { notAvailable: 'Camera list not available', failed: 'List failed' };
export const SNAP_TEXTS: Texts = { notAvailable: 'Camera snap not available', failed: 'Snap failed' };
export const CLIP_TEXTS: Texts = { notAvailable: 'Camera clip not available', failed: 'Clip failed' };

export const UNSUPPORTED_SNAP = 'Unsupported camera image format. Supported formats: jpeg, png.';
export const UNSUPPORTED_CLIP = 'Unsupported camera clip format. Only mp4 is supported.';

/** The system, and not the person's switch, keeps the camera from the hub. */
export function blockedText(platform: NodeJS.Platform): string {
  if (platform === 'win32')
    return 'Camera access blocked. Enable camera access for desktop apps in Windows Privacy settings.';
  if (platform === 'darwin')
    return 'Camera access blocked. Enable camera access for the program that runs the hub in System Settings, Privacy & Security.';
  return 'Camera access blocked. Let the user who runs the hub read the video device, for example as a member of the group video.';
}
