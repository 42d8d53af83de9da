/**
 * What a web page can try against a listener on this machine. Each attempt is an expression that resolves when the
 * browser is done.
 */

/** URL, CALL and TOKEN are JSON texts: the address, a call, and the token, which we assume the page has stolen. */
const JSON_TYPE = `'content-type': 'application/json'`;
const AUTHORIZED = `authorization: 'Bearer ' + TOKEN`;

export const ATTEMPTS: Record<string, string> = {
  'fetch of JSON': `fetch(URL, { method: 'POST', headers: { ${JSON_TYPE} }, body: CALL })`,
  'fetch of JSON with the token': `fetch(URL, { method: 'POST', headers: { ${JSON_TYPE}, ${AUTHORIZED} }, body: CALL })`,
  'fetch of text': `fetch(URL, { method: 'POST', mode: 'no-cors', body: CALL })`,
  'fetch of text with credentials': `fetch(URL, { method: 'POST', mode: 'no-cors', credentials: 'include', body: CALL })`,
  'fetch of a form': `fetch(URL, { method: 'POST', mode: 'no-cors', body: new URLSearchParams({ body: CALL }) })`,
  'fetch of bytes without a type': `fetch(URL, { method: 'POST', mode: 'no-cors', body: new Blob([CALL]) })`,
  'fetch without a referrer': `fetch(URL, { mode: 'no-cors', referrerPolicy: 'no-referrer' })`,
  'fetch that outlives the page': `fetch(URL, { method: 'POST', mode: 'no-cors', keepalive: true, body: CALL })`,
  'fetch with another verb': `fetch(URL, { method: 'PUT', headers: { ${AUTHORIZED} }, body: CALL })`,
  XMLHttpRequest: `new Promise((resolve, reject) => {
    const request = new XMLHttpRequest();
    request.open('POST', URL);
    request.setRequestHeader('content-type', 'application/json');
    request.setRequestHeader('authorization', 'Bearer ' + TOKEN);
    request.onload = resolve;
    request.onerror = reject;
    request.send(CALL);
  })`,
  'a beacon': `navigator.sendBeacon(URL, CALL)`,
  'an image': `new Promise((resolve, reject) => {
    const image = new Image();
    image.onload = resolve;
    image.onerror = reject;
    image.src = URL + '?call=' + encodeURIComponent(CALL);
  })`,
  'a script': `new Promise((resolve, reject) => {
    const script = document.createElement('script');
    script.onload = resolve;
    script.onerror = reject;
    script.src = URL;
    document.head.append(script);
  })`,
  'a plain-text form': `new Promise((resolve) => {
    const frame = document.createElement('iframe');
    frame.name = 'frame-' + Math.random();
    document.body.append(frame);
    const form = document.createElement('form');
    Object.assign(form, { action: URL, method: 'post', enctype: 'text/plain', target: frame.name });
    const field = document.createElement('input');
    field.name = CALL.replace(/}$/, ',"x":"');
    field.value = '"}';
    form.append(field);
    document.body.append(form);
    frame.onload = resolve;
    form.submit();
  })`,
  'a frame': `new Promise((resolve) => {
    const frame = document.createElement('iframe');
    frame.onload = resolve;
    frame.src = URL;
    document.body.append(frame);
  })`,
  'a frame without an origin': `new Promise((resolve) => {
    const frame = document.createElement('iframe');
    frame.sandbox = 'allow-scripts';
    window.onmessage = resolve;
    const body = JSON.stringify(CALL).replaceAll('<', '\\\\u003c');
    frame.srcdoc = '<script>fetch(' + JSON.stringify(URL) + ", { method: 'POST', mode: 'no-cors', body: " + body +
      " }).finally(() => parent.postMessage('', '*'))</" + 'script>';
    document.body.append(frame);
  })`,
  'an event stream': `new Promise((resolve, reject) => {
    const source = new EventSource(URL);
    source.onopen = resolve;
    source.onerror = (event) => { source.close(); reject(event); };
  })`,
  'a WebSocket': `new Promise((resolve, reject) => {
    const socket = new WebSocket(URL.replace('http', 'ws'));
    socket.onopen = () => { socket.send(CALL); resolve(); };
    socket.onerror = reject;
  })`,
  'a WebSocket with a token': `new Promise((resolve, reject) => {
    const socket = new WebSocket(URL.replace('http', 'ws'), ['mcp', TOKEN]);
    socket.onopen = () => { socket.send(CALL); resolve(); };
    socket.onerror = reject;
  })`,
  'a worker': `new Promise((resolve, reject) => {
    const text = 'fetch(' + JSON.stringify(URL) + ", { method: 'POST', mode: 'no-cors', body: " + JSON.stringify(CALL) +
      " }).then(() => postMessage(0), () => postMessage(1))";
    const worker = new Worker('data:text/javascript,' + encodeURIComponent(text));
    worker.onmessage = resolve;
    worker.onerror = reject;
  })`,
};

export interface Attempt {
  expression: string;
  url: string;
  call: string;
  token: string;
}

/** Resolves to the text that the page could read, or to an empty text. */
export const attempt = ({ expression, url, call, token }: Attempt): string => `(async () => {
  const URL = ${JSON.stringify(url)}, CALL = ${JSON.stringify(call)}, TOKEN = ${JSON.stringify(token)};
  try {
    const answer = await (${expression});
    return answer instanceof Response ? await answer.text() : '';
  } catch {
    return '';
  }
})()`;
