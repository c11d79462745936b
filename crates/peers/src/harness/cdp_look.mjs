// A short look at a page over a CDP connection of our own, closed again at once.
//
// In: the browser's WebSocket, a page target, the name that a world of another client begins with. Out: what that
// client keeps on DOM nodes there. It changes nothing: Runtime.enable lists the worlds of all clients, and they may be
// used by their id.

/** Connects, calls `ask` with a [`Page`] and disconnects. */
export async function lookAt({ WebSocket, socket, target }, ask) {
  const connection = await Connection.open(WebSocket, socket);
  try {
    return await ask(await Page.open(connection, target));
  } finally {
    connection.close();
  }
}

class Page {
  #connection;
  #sessions;
  #target;

  static async open(connection, target) {
    const page = new Page();
    page.#connection = connection;
    page.#target = target;
    page.#sessions = [await connection.attach(target)];
    // Frames in processes of their own are targets of their own, each told by its parent's session; the list grows
    // while it is walked.
    for (const session of page.#sessions) {
      await connection.send('Target.setAutoAttach', { autoAttach: true, waitForDebuggerOnStart: false, flatten: true },
        session);
      page.#sessions.push(...connection.events.filter(({ method, params, sessionId }) =>
        method === 'Target.attachedToTarget' && sessionId === session && params.targetInfo.type === 'iframe')
        .map(({ params }) => params.sessionId));
      await connection.send('Runtime.enable', {}, session);
    }
    return page;
  }

  #worlds(name) {
    return this.#connection.events
      .filter(({ method, params }) => method === 'Runtime.executionContextCreated'
        && params.context.name.startsWith(name))
      .map(({ params: { context }, sessionId }) => ({
        session: sessionId, context: context.id, frame: context.auxData?.frameId ?? ''
      }));
  }

  async #call(session, params) {
    const { result, exceptionDetails } = await this.#connection.send('Runtime.callFunctionOn', params, session);
    if (exceptionDetails) throw new Error(exceptionDetails.exception?.description ?? exceptionDetails.text);
    return result;
  }

  /** What `script` finds on one node. A page's main frame has the page's target id. */
  async node(world, backendNodeId, frame, script) {
    const found = this.#worlds(world).find((each) => each.frame === (frame || this.#target));
    if (!found) throw new Error(`no world "${world}" in frame ${frame || this.#target}`);
    const { object } =
      await this.#connection.send('DOM.resolveNode', { backendNodeId, executionContextId: found.context },
        found.session);
    return (await this.#call(found.session,
      { objectId: object.objectId, functionDeclaration: script, returnByValue: true })).value;
  }

  /** All elements that hold `property`, shadow trees included: its `key`, backend node id, frame id. */
  async nodes(world, property, key) {
    const all = [];
    for (const { session, context, frame } of this.#worlds(world)) {
      const gathered = await this.#call(session, {
        executionContextId: context,
        objectGroup: 'browserlens',
        functionDeclaration: `function () {
          const found = [];
          const walk = (root) => {
            for (const e of root.querySelectorAll('*')) {
              if (e.${property}) found.push(e);
              if (e.shadowRoot) walk(e.shadowRoot);
            }
          };
          walk(document);
          return { found, keys: found.map((e) => e.${property}.${key}) };
        }`,
      });
      const keys =
        (await this.#call(session,
          { objectId: gathered.objectId, functionDeclaration: 'function () { return this.keys; }',
            returnByValue: true })).value;
      const found = await this.#call(session, {
        objectId: gathered.objectId, objectGroup: 'browserlens',
        functionDeclaration: 'function () { return this.found; }'
      });
      const { result } =
        await this.#connection.send('Runtime.getProperties', { objectId: found.objectId, ownProperties: true },
          session);
      const objects = result.filter(({ name }) => /^\d+$/.test(name));
      all.push(...await Promise.all(objects.map(async ({ name, value }) => {
        const { node } = await this.#connection.send('DOM.describeNode', { objectId: value.objectId }, session);
        return [keys[Number(name)], node.backendNodeId, frame];
      })));
      await this.#connection.send('Runtime.releaseObjectGroup', { objectGroup: 'browserlens' }, session);
    }
    return all;
  }
}

class Connection {
  #socket;
  #waiting = new Map();
  #last = 0;
  events = [];

  static async open(WebSocket, address) {
    const connection = new Connection();
    connection.#socket = new WebSocket(address, { perMessageDeflate: false });
    connection.#socket.addEventListener('message', ({ data }) => connection.#take(JSON.parse(data)));
    await new Promise((done, fail) => {
      connection.#socket.addEventListener('open', done);
      connection.#socket.addEventListener('error', () => fail(new Error(`${address} cannot be reached`)));
    });
    return connection;
  }

  #take(message) {
    const waiting = this.#waiting.get(message.id);
    if (!waiting) {
      if (message.method) this.events.push(message);
      return;
    }
    this.#waiting.delete(message.id);
    if (message.error) waiting.fail(new Error(`${waiting.method}: ${message.error.message}`));
    else waiting.done(message.result);
  }

  send(method, params, sessionId) {
    const id = ++this.#last;
    return new Promise((done, fail) => {
      this.#waiting.set(id, { done, fail, method });
      this.#socket.send(JSON.stringify({ id, method, params, sessionId }));
    });
  }

  async attach(targetId) {
    return (await this.send('Target.attachToTarget', { targetId, flatten: true })).sessionId;
  }

  close() {
    this.#socket.close();
  }
}
