/** What is on the surfaces, without what looks like a secret. Pure. */
import { isRecord } from '../../../lib/is-record.ts';
import { HIDDEN, hideSecrets } from '../../../core/redact/redact-secrets.ts';
import { isSecretName } from '../../../core/redact/secret-names.ts';
import { segmentsOf, valueAt, withValue } from './data-model.ts';
import { A2UI_VERSION, type Json } from './message.ts';
import type { Surface, Surfaces } from './surfaces.ts';

export const dumpOf = (surfaces: Surfaces): Json => ({
  renderer: surfaces.size === 0 ? 'none' : 'web',
  a2uiVersion: A2UI_VERSION,
  surfaceCount: surfaces.size,
  surfaces: Object.fromEntries([...surfaces].map(([id, surface]) => [id, dumpSurface(surface)])),
});

function dumpSurface({ components, root, catalogId, styles, data }: Surface): Json {
  const covered = [...components.values()].filter(
    ({ type, props }) => type === 'TextField' && props['textFieldType'] === 'obscured',
  );
  // What a person typed where nobody was to see it, wherever it is bound to.
  let model = data;
  for (const { props } of covered) {
    const path = isRecord(props['text']) ? props['text']['path'] : undefined;
    if (typeof path === 'string' && path.startsWith('/') && valueAt(model, path) !== undefined)
      model = withValue(model, path, HIDDEN);
    else if (typeof path === 'string') model = withoutNamed(model, segmentsOf(path).at(-1));
  }
  const ids = new Set(covered.map(({ id }) => id));
  return {
    root: root ?? null,
    ...(catalogId === undefined ? {} : { catalogId }),
    styles: redacted(styles),
    componentCount: components.size,
    components: Object.fromEntries(
      [...components].map(([id, { type, props, weight }]) => [
        id,
        {
          type,
          ...(weight === undefined ? {} : { weight }),
          props: redacted(ids.has(id) ? { ...props, text: hiddenLiteral(props['text']) } : props),
        },
      ]),
    ),
    dataModel: redacted(model),
  };
}

const hiddenLiteral = (text: unknown): unknown =>
  isRecord(text) && 'literalString' in text ? { ...text, literalString: HIDDEN } : text;

/** A path that begins at an item of a list: the name is hidden in all of them. */
function withoutNamed(value: unknown, name: string | undefined): unknown {
  if (Array.isArray(value)) return value.map((each) => withoutNamed(each, name));
  if (!isRecord(value)) return value;
  return Object.fromEntries(
    Object.entries(value).map(([key, member]) => [key, key === name ? HIDDEN : withoutNamed(member, name)]),
  );
}

function redacted(value: unknown, name = ''): unknown {
  if (typeof value === 'string') return isSecretName(name) ? HIDDEN : hideSecrets(value);
  if (Array.isArray(value)) return value.map((each) => redacted(each, name));
  if (!isRecord(value)) return typeof value === 'number' && isSecretName(name) ? HIDDEN : value;
  return Object.fromEntries(
    Object.entries(value).map(([key, member]) => [key, redacted(member, isSecretName(name) ? name : key)]),
  );
}
