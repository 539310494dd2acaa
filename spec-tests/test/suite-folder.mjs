// Where the official scripts are, for the tests that need them: the folder that
// the environment variable WASM_TESTSUITE names. There is no default: the build
// file passes one.

import { existsSync } from 'node:fs';
import { join } from 'node:path';

export function suiteFolder() {
  const suite = process.env.WASM_TESTSUITE;
  if (!suite || !existsSync(join(suite, 'core'))) {
    throw new Error(`WASM_TESTSUITE does not name the official suite: ${suite ?? 'unset'}`);
  }
  return suite;
}
