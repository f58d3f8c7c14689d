import config from '../../reconciler.config.ts';
import { namesVariable } from './identities.ts';

/** The configuration of this repository with another name and former names. */
const [name = '', ...formerNames] = (process.env[namesVariable] ?? '').split(',');

export default { ...config, identity: { name, formerNames } };
