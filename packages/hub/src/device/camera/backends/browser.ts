/** What runs in the page: it asks the browser for a camera and gives back base64, or what the browser calls the failure. */

/** Cameras of the browser have other ids in each profile; their names stay. A second one of the same name is told apart. */
const COMMON = `
  const cameras = async () => {
    const seen = new Map();
    const all = await navigator.mediaDevices.enumerateDevices();
    return all.filter(({ kind }) => kind === 'videoinput').map(({ label, deviceId }) => {
      const count = (seen.get(label) ?? 0) + 1;
      seen.set(label, count);
      return { id: count === 1 ? label : label + ' #' + count, name: label, deviceId };
    });
  };
  const constraints = async ({ id, maxWidth }) => {
    const video = { width: { ideal: maxWidth } };
    const chosen = (await cameras()).find((each) => each.id === id);
    if (chosen !== undefined) video.deviceId = { exact: chosen.deviceId };
    return video;
  };
  const base64 = (blob) => new Promise((resolve, reject) => {
    const reader = new FileReader();
    reader.onload = () => resolve(reader.result.slice(reader.result.lastIndexOf(',') + 1));
    reader.onerror = () => reject(reader.error);
    reader.readAsDataURL(blob);
  });
  const pause = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
`;

const LIST = `return (await cameras()).map(({ id, name }) => ({ id, name }));`;

const SNAP = `
  const stream = await navigator.mediaDevices.getUserMedia({ video: await constraints(order) });
  try {
    const video = document.createElement('video');
    video.muted = true;
    video.srcObject = stream;
    await video.play();
    await pause(order.delayMs);
    const width = Math.min(order.maxWidth, video.videoWidth);
    const height = Math.max(1, Math.round((video.videoHeight * width) / video.videoWidth));
    const canvas = new OffscreenCanvas(width, height);
    canvas.getContext('2d').drawImage(video, 0, 0, width, height);
    const blob = await canvas.convertToBlob({ type: 'image/' + order.format, quality: order.quality / 100 });
    return { width, height, base64: await base64(blob) };
  } finally {
    for (const track of stream.getTracks()) track.stop();
  }
`;

/** Without a microphone it is tried again without sound. */
const CLIP = `
  const video = await constraints(order);
  const open = (audio) => navigator.mediaDevices.getUserMedia({ video, audio });
  const stream = order.includeAudio
    ? await open(true).catch((error) => (error.name === 'NotAllowedError' ? Promise.reject(error) : open(false)))
    : await open(false);
  try {
    const hasAudio = stream.getAudioTracks().length > 0;
    const types = ['video/mp4;codecs=avc1.42E01F' + (hasAudio ? ',opus' : ''), 'video/mp4', 'video/webm'];
    const mimeType = types.find((each) => MediaRecorder.isTypeSupported(each));
    const recorder = new MediaRecorder(stream, { mimeType, videoBitsPerSecond: 2_000_000 });
    const parts = [];
    recorder.ondataavailable = ({ data }) => parts.push(data);
    const started = new Promise((resolve) => { recorder.onstart = resolve; });
    const stopped = new Promise((resolve, reject) => {
      recorder.onstop = resolve;
      recorder.onerror = ({ error }) => reject(error);
    });
    recorder.start();
    await started;
    await pause(order.durationMs);
    recorder.stop();
    await stopped;
    const blob = new Blob(parts, { type: mimeType });
    const format = mimeType.startsWith('video/mp4') ? 'mp4' : 'webm';
    if (blob.size > order.maxBytes) return { isTooLarge: true };
    return { format, hasAudio, base64: await base64(blob) };
  } finally {
    for (const track of stream.getTracks()) track.stop();
  }
`;

const scriptOf =
  (body: string) =>
  (order: object = {}): string =>
    `(async (order) => {${COMMON} try {${body}} catch (error) { return { failure: error.name, message: error.message }; }})(${JSON.stringify(order)})`;

export const listScript = scriptOf(LIST);
export const snapScript = scriptOf(SNAP);
export const clipScript = scriptOf(CLIP);
