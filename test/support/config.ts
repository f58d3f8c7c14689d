/** The configuration of this repository. */
import { join } from 'node:path';
import config from '../../reconciler.config.ts';
import * as engine from '../../shared/config/config.ts';
import { defaultKinds } from '../../shared/config/define-config.ts';
import type { Kind } from '../../shared/kinds/kind.ts';
import type { Settings } from '../../systems/settings.ts';

export { config };

export const configFile = join(import.meta.dirname, '../../reconciler.config.ts');

export const kinds = defaultKinds(config);

export const kindsFor = ({ authUrl = '', ingressClass }: Settings): readonly Kind[] => {
  const settings: Record<string, string> = { AUTH_URL: authUrl, INGRESS_CLASS: ingressClass };
  return config.kindsFor((name) => settings[name] ?? '');
};

export const parseConfig = (env: Parameters<typeof engine.parseConfig>[1]): engine.Config =>
  engine.parseConfig(config, env);
