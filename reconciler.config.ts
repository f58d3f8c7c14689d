import { defineConfig } from './index.ts';
import { application } from './systems/application.ts';
import { containerApp } from './systems/container-app.ts';
import { database } from './systems/database.ts';
import { foo } from './systems/foo.ts';
import { authUrl, ingressClass } from './systems/settings.ts';
import { website } from './systems/website.ts';

export default defineConfig({
  settings: { AUTH_URL: authUrl, INGRESS_CLASS: ingressClass },
  // For trying endpoints with scopes. Under `npm start` nothing routes requests, let alone authorizes them.
  localEnvironment: { AUTH_URL: 'http://auth.default.svc.cluster.local/check' },
  kinds: (settings) => [
    website,
    application,
    containerApp({ authUrl: settings.AUTH_URL, ingressClass: settings.INGRESS_CLASS }),
    database,
    foo,
  ],
});
