import config from '../../reconciler.config.ts';
import { namesVariable } from './identities.ts';

/** This repository's configuration for a reconciler of another name, and for what it was called before. */
const [name = '', ...formerNames] = (process.env[namesVariable] ?? '').split(',');

export default { ...config, identity: { name, formerNames } };
