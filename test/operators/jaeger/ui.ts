import { canonicalJson } from 'serverless-reconciler';
import { hasDependencies } from './jobs.ts';
import { textsOf } from './options.ts';
import { isProxied } from './proxy.ts';
import type { Spec } from './spec.ts';

/** The settings of the pages: those of the spec, and what follows from the rest of it. */
export function pageFile(spec: Spec): string {
  const { options } = spec.ui;
  return canonicalJson({ ...archive(spec), ...options, ...dependencies(spec), ...logout(spec) });
}

const archive = ({ storage: { options } }: Spec) =>
  ['es', 'cassandra'].some((one) => textsOf(options)[`${one}-archive.enabled`] === 'true') && {
    archiveEnabled: true,
  };

/** Hides the graph of dependencies if nothing makes it. */
function dependencies({ storage, ui }: Spec) {
  const { dependencies: given = {} } = ui.options;
  if (storage.type === 'memory' || hasDependencies(storage)) return {};
  if (typeof given !== 'object') return {};
  return { dependencies: { menuEnabled: false, ...given } };
}

/** Adds the way out to the menu. */
function logout(spec: Spec) {
  const { menu = [] } = spec.ui.options;
  const { enabled, openshift } = spec.ingress;
  const isNeeded = enabled && isProxied(spec) && !openshift.skipLogout;
  if (!isNeeded || !Array.isArray(menu) || JSON.stringify(menu).includes('/oauth/sign_in'))
    return {};
  return { menu: [...menu, { label: 'Log Out', url: '/oauth/sign_in', anchorTarget: '_self' }] };
}

const everything = { default_strategy: { type: 'probabilistic', param: 1 } };

/** The sampling of the spec, or else of every trace. */
export const samplingFile = ({ sampling: { options } }: Spec): string =>
  canonicalJson(Object.keys(options).length === 0 ? everything : options);
