import { application } from './application.ts';
import { containerApp } from './container-app.ts';
import { database } from './database.ts';
import type { Kind } from './define-kind.ts';
import { foo } from './foo.ts';
import { defaultSettings, type Settings } from './settings.ts';
import { website } from './website.ts';

/** Every custom resource kind this project reconciles. A new kind is one file and one line here. */
export const kindsFor = (settings: Settings): readonly Kind[] => [
  website,
  application,
  containerApp(settings),
  database,
  foo,
];

export const kinds = kindsFor(defaultSettings);
