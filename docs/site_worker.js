/* The search of the site runs in a worker, which browsers refuse to pages that were opened from a folder. There an
   iframe does its work. */
if (location.protocol === "file:") {
  window.Worker = class extends EventTarget {
    constructor(url) {
      super()
      const frame = document.createElement("iframe")
      frame.hidden = true
      document.body.append(frame)
      const inside = frame.contentWindow
      this.waiting = []
      // What the worker has to say.
      inside.postMessage = data => {
        const told = new MessageEvent("message", { data })
        this.dispatchEvent(told)
        this.onmessage?.(told)
      }
      inside.importScripts = (...urls) => Promise.all(urls.map(one => this.load(inside, one)))
      this.load(inside, url).then(() => {
        this.inside = inside
        this.waiting.splice(0).forEach(data => this.postMessage(data))
      })
    }

    load(inside, url) {
      return new Promise((resolve, reject) => {
        const script = inside.document.createElement("script")
        script.src = new URL(url, location.href)
        script.onload = resolve
        script.onerror = reject
        inside.document.head.append(script)
      })
    }

    postMessage(data) {
      if (!this.inside) {
        this.waiting.push(data)
        return
      }
      const told = new this.inside.MessageEvent("message", { data })
      this.inside.dispatchEvent(told)
    }

    terminate() {
      this.inside?.frameElement.remove()
    }
  }
}
