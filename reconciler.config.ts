import { defineConfig } from './index.ts';
import { application } from './kinds/application.ts';
import { containerApp } from './kinds/container-app.ts';
import { database } from './kinds/database.ts';
import { foo } from './kinds/foo.ts';
import { authUrl, ingressClass } from './kinds/settings.ts';
import { website } from './kinds/website.ts';

export default defineConfig({
  settings: { AUTH_URL: authUrl, INGRESS_CLASS: ingressClass },
  // For trying endpoints with scopes: nothing here routes requests, let alone authorizes them.
  localEnvironment: { AUTH_URL: 'http://auth.default.svc.cluster.local/check' },
  kinds: (settings) => [
    website,
    application,
    containerApp({ authUrl: settings.AUTH_URL, ingressClass: settings.INGRESS_CLASS }),
    database,
    foo,
  ],
});
