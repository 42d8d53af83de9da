/** Pages that the canvas brings itself. */
import { createHash } from 'node:crypto';
import { STYLE } from './style.ts';

const STYLE_HASH = createHash('sha256').update(STYLE).digest('base64');

/** No script at all runs in the page: what draws on it runs beside it. Pictures and sounds come from the web or with the text. */
const POLICY = [
  "default-src 'none'",
  'img-src http: https: data:',
  'media-src http: https: data:',
  `style-src 'sha256-${STYLE_HASH}'`,
  "base-uri 'none'",
  "form-action 'none'",
].join('; ');

export const A2UI_DOCUMENT = `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${POLICY}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Canvas</title>
<style>${STYLE}</style>
</head>
<body><main id="surfaces"></main></body>
</html>
`;
