/** Serves the page, the library, and the settings that the page needs to reach the hub. Nothing to install. */
import { createReadStream } from 'node:fs';
import { createServer } from 'node:http';
import { fileURLToPath } from 'node:url';

const PORT = Number(process.env.PORT ?? 5173);
const hub = process.env.PINCER_APPS_URL ?? 'http://127.0.0.1:8000';
const token = process.env.PINCER_APP_TOKEN ?? '';

const here = (name) => fileURLToPath(new URL(name, import.meta.url));
const FILES = {
  '/': [here('index.html'), 'text/html'],
  '/style.css': [here('style.css'), 'text/css'],
  '/page.js': [here('page.js'), 'text/javascript'],
  '/errands.js': [here('errands.js'), 'text/javascript'],
  '/pincer-app.js': [fileURLToPath(import.meta.resolve('pincer/app')), 'text/javascript'],
};

const server = createServer((request, response) => {
  const { pathname } = new URL(request.url ?? '/', 'http://page');
  if (pathname === '/settings.json') {
    response.writeHead(200, { 'content-type': 'application/json', 'cache-control': 'no-store' });
    response.end(JSON.stringify({ url: hub, token }));
    return;
  }
  const [path, type] = FILES[pathname] ?? [];
  if (path === undefined) {
    response.writeHead(404).end();
    return;
  }
  response.writeHead(200, { 'content-type': `${type}; charset=utf-8`, 'cache-control': 'no-cache' });
  createReadStream(path).pipe(response);
});

server.listen(PORT, '127.0.0.1', () => {
  console.log(`Errands are at http://127.0.0.1:${server.address().port}`);
  if (token === '')
    console.log('PINCER_APP_TOKEN is not set, so the hub will refuse the page. See README.md.');
});
